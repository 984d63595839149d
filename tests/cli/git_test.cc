#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/cli/program.h"

namespace berth::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

/// A repository with two files in its first commit, then one changed and one new.
void make_changes(const Berth& berth) {
  berth.directory.write("a", "1\n");
  berth.directory.write("b", "1\n");
  const auto made = run_program({"/bin/sh", "-c",
                                 "cd \"$1\" && git init -q -b main . && git add -A && git -c user.name=a -c "
                                 "user.email=a@example.com commit -qm first",
                                 "sh", berth.directory.path()},
                                {}, {{"GIT_CONFIG_GLOBAL", "/dev/null"}, {"GIT_CONFIG_SYSTEM", "/dev/null"}});
  ASSERT_EQ(made.status, 0) << made.err;
  berth.directory.write("a", "2\n");
  berth.directory.write("new", "1\n2\n");
}

constexpr std::string_view kDiff =
    "diff --git a/a b/a\nindex d00491f..0cfbf08 100644\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n"
    "diff --git a/new b/new\nnew file mode 100644\nindex 0000000..1191247\n--- /dev/null\n+++ b/new\n@@ -0,0 +1,2 @@\n"
    "+1\n+2\n";

TEST(Diff, C_GIT_2_shows_changed_and_untracked_files) {
  const Berth berth;
  make_changes(berth);
  EXPECT_EQ(berth({"diff"}), (Ended{0, std::string(kDiff), ""}));
}

TEST(Diff, json_has_the_files_and_the_text) {
  const Berth berth;
  make_changes(berth);
  auto object = berth.json({"diff"});
  EXPECT_EQ(object["baseline"].get<std::string>().size(), 40u);
  object.erase("baseline");
  const json expected = {
      {"files",
       {{{"change", "modified"},
         {"path", "a"},
         {"old_mode", "100644"},
         {"new_mode", "100644"},
         {"added_lines", 1},
         {"removed_lines", 1}},
        {{"change", "added"}, {"path", "new"}, {"new_mode", "100644"}, {"added_lines", 2}, {"removed_lines", 0}}}},
      {"text", kDiff},
      {"truncated", false},
      {"left_out", 0},
      {"not_shown", json::array()}};
  EXPECT_EQ(object, expected);
}

TEST(Diff, stat_counts_lines) {
  const Berth berth;
  make_changes(berth);
  EXPECT_EQ(
      berth({"diff", "--stat"}),
      (Ended{0, "     +1     -1  a\n     +2     -0  new  (added)\n2 files changed, 3 lines added, 1 removed\n", ""}));
}

TEST(Diff, says_that_it_was_cut) {
  const Berth berth;
  make_changes(berth);
  const auto ended = berth({"diff", "--max-bytes", "100"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_LE(ended.out.size(), 100u);
  EXPECT_THAT(ended.err, HasSubstr("longer than is shown"));
}

TEST(Status, lists_the_files_that_differ) {
  const Berth berth;
  make_changes(berth);
  EXPECT_EQ(berth({"status"}), (Ended{0, "modified      a\nadded         new  (untracked)\n", ""}));
  const json files = {{{"change", "modified"}, {"path", "a"}, {"untracked", false}},
                      {{"change", "added"}, {"path", "new"}, {"untracked", true}}};
  EXPECT_EQ(berth.json({"status"})["files"], files);
}

TEST(Status, outside_a_repository_is_an_error_with_the_next_step) {
  const Berth berth;
  const auto ended = berth({"status"});
  EXPECT_EQ(ended.status, error_info(ErrorCode::not_found).exit_code);
  EXPECT_THAT(ended.err, HasSubstr("git init"));
}

}  // namespace
}  // namespace berth::testing
