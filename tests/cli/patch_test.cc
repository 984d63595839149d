#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace berth::testing {
namespace {

using ::testing::HasSubstr;

const std::string kPatch =
    "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
    "diff --git a/old b/new\nsimilarity index 100%\nrename from old\nrename to new\n";

TEST(Patch, says_what_it_did_to_each_file) {
  const Berth berth;
  berth.directory.write("f", "one\ntwo\n");
  berth.directory.write("old", "x\n");
  EXPECT_EQ(berth({"patch"}, kPatch), (Ended{0, "modified f\nmoved new from old\n", ""}));
  EXPECT_EQ(berth.directory.read("f"), "one\n2\n");
  EXPECT_EQ(berth.directory.read("new"), "x\n");
}

TEST(Patch, dry_run_shows_the_diff_and_changes_nothing) {
  const Berth berth;
  berth.directory.write("f", "one\ntwo\n");
  const auto ended =
      berth({"patch", "--dry-run"}, "*** Begin Patch\n*** Update File: f\n@@\n-two\n+2\n*** End Patch\n");
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("-two\n+2\n"));
  EXPECT_EQ(berth.directory.read("f"), "one\ntwo\n");
}

TEST(Patch, json_gives_every_file) {
  const Berth berth;
  berth.directory.write("f", "one\ntwo\n");
  berth.directory.write("old", "x\n");
  const auto object = berth.json({"patch"}, 0, kPatch);
  EXPECT_EQ(object["applied"], true);
  ASSERT_EQ(object["files"].size(), 2u);
  EXPECT_EQ(object["files"][0]["what"], "modified");
  EXPECT_EQ(object["files"][1]["from"], "old");
}

TEST(Patch, a_refusal_names_the_file_and_changes_nothing) {
  const Berth berth;
  berth.directory.write("f", "one\nother\n");
  const auto ended = berth({"patch"}, kPatch);
  EXPECT_EQ(ended.status, 43);
  EXPECT_THAT(ended.err, HasSubstr("f: hunk 1"));
  EXPECT_EQ(berth.directory.read("f"), "one\nother\n");
}

}  // namespace
}  // namespace berth::testing
