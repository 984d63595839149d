#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/matchers.h"
#include "workspace/git/diff_records.h"
#include "workspace/git/import_stream.h"
#include "workspace/git/status_records.h"
#include "workspace/git/tree_records.h"

namespace berth::git {
namespace {

using testing::FailsWith;
using testing::IsOk;
using namespace std::string_literals;

TEST(ParseStatus, reads_changed_unmerged_and_untracked_paths) {
  const auto records = parse_status(
      "1 MD N... 100644 100755 000000 aaaa bbbb a b\nc\0"
      "1 A. N... 000000 100644 100644 0000 bbbb new\0"
      "u UU N... 100644 100644 100644 100644 aaaa bbbb cccc both\0"
      "? x\0? nested/\0! ignored\0"s);
  ASSERT_THAT(records, IsOk());
  const std::vector<StatusRecord> expected = {
      {.path = "a b\nc", .staged = 'M', .unstaged = 'D', .baseline = {.mode = 0100644, .object = "aaaa"}},
      {.path = "new", .staged = 'A', .unstaged = '.', .baseline = {}},
      {.path = "both", .staged = 'U', .unstaged = 'U', .unmerged = true, .baseline = {}},
      {.path = "x", .staged = '?', .unstaged = '?', .baseline = {}},
      {.path = "nested", .staged = '?', .unstaged = '?', .nested_repository = true, .baseline = {}}};
  EXPECT_EQ(*records, expected);
}

TEST(ParseStatus, refuses_what_is_cut_or_of_another_kind) {
  for (const auto& output : {"? x"s, "2 R. N... x\0"s, "1 MD N... 100644\0"s, "?\0"s, "1 M N... 1 1 1 a b p\0"s,
                             "1 MM N... z 1 1 a b p\0"s}) {
    EXPECT_THAT(parse_status(output), FailsWith(ErrorCode::protocol)) << output;
  }
}

TEST(ParseDiff, reads_records_counts_and_the_patch) {
  const auto diff = parse_diff(
      ":100644 100755 aa bb M\0p\0:100644 100644 aa bb R090\0from\0to\0:000000 100644 00 bb A\0bin\0"
      "3\t1\tp\0"
      "0\t0\t\0from\0to\0"
      "-\t-\tbin\0\0diff --git a/p b/p\n"s);
  ASSERT_THAT(diff, IsOk());
  const DiffOutput expected{
      .records = {{.status = 'M', .path = "p", .old_mode = 0100644, .new_mode = 0100755, .added = 3, .removed = 1},
                  {.status = 'R',
                   .path = "to",
                   .from = "from",
                   .old_mode = 0100644,
                   .new_mode = 0100644,
                   .added = 0,
                   .removed = 0},
                  {.status = 'A', .path = "bin", .old_mode = 0, .new_mode = 0100644}},
      .patch = "diff --git a/p b/p\n"};
  EXPECT_EQ(*diff, expected);
  EXPECT_EQ(*parse_diff(""), DiffOutput{});
}

TEST(ParseDiff, refuses_what_is_cut_or_of_another_kind) {
  for (const auto& output : {":100644 100755 aa bb M\0p"s, ":100644 M\0p\0"s, "rubbish"s.insert(0, ":"),
                             ":100644 100755 aa bb M\0p\0x\t1\tp\0"s, ":100644 100755 aa bb M\0p\0003\t1\tq\0"s}) {
    EXPECT_THAT(parse_diff(output), FailsWith(ErrorCode::protocol)) << output;
  }
}

TEST(ParseTree, reads_modes_objects_and_paths) {
  const auto tree = parse_tree(
      "100644 blob aa\ta\tb\0"
      "160000 commit bb\tlib\0"s);
  ASSERT_THAT(tree, IsOk());
  EXPECT_EQ(*tree, (std::map<Bytes, GitEntry>{{"a\tb", {.mode = 0100644, .object = "aa"}},
                                              {"lib", {.mode = 0160000, .object = "bb"}}}));
  EXPECT_THAT(parse_tree("rubbish\0"s), FailsWith(ErrorCode::protocol));
  EXPECT_THAT(parse_tree("x blob aa\ta\0"s), FailsWith(ErrorCode::protocol));
}

TEST(Imports, quote_every_byte_that_fast_import_would_read_otherwise) {
  ImportStream stream;
  stream.begin("b");
  stream.put("\"q\"\n\\\xff -", {.mode = 0120000, .object = "aa"});
  stream.put("p", 0100644, "x\n");
  EXPECT_EQ(stream.text(),
            "commit refs/heads/b\ncommitter berth <berth> 0 +0000\ndata 0\n"
            "M 120000 aa \"\\\"q\\\"\\012\\\\\\377 -\"\n"
            "M 100644 inline \"p\"\ndata 2\nx\n\n");
}

}  // namespace
}  // namespace berth::git
