#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/hash.h"
#include "tests/cli/program.h"

namespace berth::testing {
namespace {

using ::testing::HasSubstr;

std::string revision_of(std::string_view content) { return "sha256:" + to_hex(sha256(content)); }

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

TEST(Patch, operations_come_from_a_file_or_standard_input) {
  const Berth berth;
  for (const char* name : {"changed", "deleted", "moved", "copied", "mode"}) {
    berth.directory.write(name, std::string("one ") + name + "\n");
  }
  const std::string operations = R"([
    {"create": {"path": "new/f", "content": "x", "git_mode": "0755"}},
    {"create": {"path_b64": "YiT/", "content_b64": "AAE="}},
    {"update": {"path": "changed", "edits": [{"old": "one", "new": "two", "count": 1}],
                "if_revision": ")" +
                                 revision_of("one changed\n") + R"("}},
    {"update": {"path": "mode", "git_mode": "0755"}},
    {"delete": {"path": "deleted"}},
    {"move": {"from": "moved", "to": "d/moved", "edits": [{"old": "o", "new": "0", "all": true}]}},
    {"copy": {"from": "copied", "to": "d/copied"}}])";
  EXPECT_EQ(berth({"patch", "--dry-run", "--operations", "-"}, operations).status, 0);
  EXPECT_TRUE(berth.directory.exists("deleted"));
  berth.directory.write("operations.json", operations);
  const auto ended = berth({"patch", "--operations", berth.directory.at("operations.json")});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(berth.directory.read("new/f"), "x");
  EXPECT_EQ(berth.directory.read("b$\xff"), std::string("\0\1", 2));
  EXPECT_EQ(berth.directory.read("changed"), "two changed\n");
  EXPECT_FALSE(berth.directory.exists("deleted"));
  EXPECT_FALSE(berth.directory.exists("moved"));
  EXPECT_EQ(berth.directory.read("d/moved"), "0ne m0ved\n");
  EXPECT_EQ(berth.directory.read("d/copied"), berth.directory.read("copied"));
  EXPECT_EQ(berth.json({"stat", "new/f"})["git_mode"], "100755");
  EXPECT_EQ(berth.json({"stat", "mode"})["git_mode"], "100755");
}

TEST(Patch, operations_that_cannot_be_read_are_refused_and_change_nothing) {
  const Berth berth;
  berth.directory.write("f", "a\n");
  for (const char* operation :
       {R"(1)", R"({})", R"({"create": 1})", R"({"make": {"path": "x"}})", R"({"create": {"path": "x"}})",
        R"({"create": {"content": "x"}})", R"({"create": {"path": "x", "content": "y", "if_revision": "r"}})",
        R"({"create": {"path": "x", "content": "y", "mode": "0644"}})",
        R"({"create": {"path": "x", "path_b64": "eA==", "content": "y"}})",
        R"({"create": {"path": "", "content": "y"}})",
        R"({"create": {"path": "x", "content": "y", "git_mode": "0600"}})", R"({"update": {"path": "f"}})",
        R"({"update": {"path": "f", "edits": {}}})", R"({"update": {"path": "f", "edits": [{"old": "a"}]}})",
        R"({"delete": {"path": "f", "edits": []}})", R"({"delete": {"path": "f", "if_revision": ""}})",
        R"({"move": {"from": "f"}})", R"({"move": {"path": "f", "to": "g"}})",
        R"({"delete": {"path": "f"}, "create": {"path": "g", "content": ""}})"}) {
    const std::string first = R"([{"create": {"path": "new", "content": ""}}, )";
    const auto error = berth.json({"patch", "--operations", "-"}, 2, first + operation + "]")["error"];
    EXPECT_EQ(error["code"], "invalid_argument") << operation;
    EXPECT_EQ(error["operation"], 1) << operation << error;
    EXPECT_THAT(error["message"].get<std::string>(), HasSubstr("operation 1: ")) << operation;
  }
  EXPECT_EQ(berth({"patch", "--operations", "-"}, "{").status, 2);
  EXPECT_EQ(berth({"patch", "--operations", "-"}, "{}").status, 2);
  EXPECT_EQ(berth({"patch", "--operations", "-"}, "[]").status, 43);
  EXPECT_EQ(berth({"patch", "--operations", "-", "--form", "unified"}, "[]").status, 2);
  EXPECT_EQ(berth({"patch", "--operations", "-"}, R"([{"delete": {"path": "../f"}}])").status, 21);
  EXPECT_EQ(berth({"patch", "--operations", "-"}, R"([{"update": {"path": "f", "edits": [{"old": "b", "new": "c"}]}}])")
                .status,
            41);
  EXPECT_EQ(berth.directory.read("f"), "a\n");
  EXPECT_FALSE(berth.directory.exists("new"));
}

}  // namespace
}  // namespace berth::testing
