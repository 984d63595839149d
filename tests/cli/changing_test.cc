#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/hash.h"
#include "tests/cli/program.h"

namespace berth::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

std::string revision_of(std::string_view content) { return "sha256:" + to_hex(sha256(content)); }

TEST(Write, creates_parents_and_says_what_it_did) {
  const Berth berth;
  const auto ended = berth({"write", "a/b.txt"}, "hello");
  EXPECT_EQ(ended, (Ended{0, "created a/b.txt (5 bytes), revision " + revision_of("hello") + "\n", ""}));
  EXPECT_EQ(berth.directory.read("a/b.txt"), "hello");
}

TEST(Write, json_gives_the_revision_to_compare_with) {
  const Berth berth;
  auto object = berth.json({"write", "f"}, 0, "one");
  object.erase("token");
  EXPECT_EQ(object, (json{{"path", "f"}, {"created", true}, {"bytes", 3}, {"revision", revision_of("one")}}));
  object = berth.json({"write", "f", "--if-revision", object["revision"]}, 0, "two");
  object.erase("token");
  EXPECT_EQ(object, (json{{"path", "f"},
                          {"created", false},
                          {"bytes", 3},
                          {"revision", revision_of("two")},
                          {"previous_revision", revision_of("one")}}));
}

TEST(Write, create_and_if_revision_refuse_what_they_must) {
  const Berth berth;
  berth.directory.write("f", "one");
  EXPECT_EQ(berth({"write", "f", "--create"}, "x").status, 11);
  EXPECT_EQ(berth({"write", "f", "--if-revision", revision_of("other")}, "x").status, 30);
  EXPECT_EQ(berth({"write", "f", "--create", "--if-revision", "r"}, "x").status, 2);
  EXPECT_EQ(berth.directory.read("f"), "one");
}

TEST(Write, git_mode_makes_a_program) {
  const Berth berth;
  EXPECT_EQ(berth({"write", "tool", "--git-mode", "100755"}, "#!/bin/sh\necho hi\n").status, 0);
  EXPECT_EQ(berth({"run", "--", "./tool"}), (Ended{0, "hi\n", ""}));
}

TEST(Edit, prints_the_diff_and_changes_nothing_else) {
  const Berth berth;
  berth.directory.write("f", "one\r\nred\r\ntwo");
  const auto ended = berth({"edit", "f", "--old", "red", "--new", "$& \\1 %s"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("-red\r\n+$& \\1 %s\r\n"));
  EXPECT_EQ(berth.directory.read("f"), "one\r\n$& \\1 %s\r\ntwo");
}

TEST(Edit, json_has_counts_revisions_and_diff) {
  const Berth berth;
  berth.directory.write("f", "a\na\n");
  auto object = berth.json({"edit", "f", "--old", "a", "--new", "b", "--all"});
  EXPECT_EQ(object, (json{{"path", "f"},
                          {"counts", {2}},
                          {"previous_revision", revision_of("a\na\n")},
                          {"revision", revision_of("b\nb\n")},
                          {"diff", "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-a\n-a\n+b\n+b\n"},
                          {"diff_truncated", false}}));
}

TEST(Edit, several_edits_come_from_a_file_or_standard_input) {
  const Berth berth;
  berth.directory.write("f", "a b c");
  const std::string edits = R"([{"old": "a", "new": "1"}, {"old_b64": "Yw==", "new": "3", "count": 1}])";
  EXPECT_EQ(berth({"edit", "f", "--edits", "-"}, edits).status, 0);
  EXPECT_EQ(berth.directory.read("f"), "1 b 3");
  berth.directory.write("edits.json", R"([{"old": "b", "new": "2", "all": true}])");
  EXPECT_EQ(berth({"edit", "f", "--edits", berth.directory.at("edits.json")}).status, 0);
  EXPECT_EQ(berth.directory.read("f"), "1 2 3");
}

TEST(Edit, a_wrong_file_of_edits_is_refused_with_what_is_wrong) {
  const Berth berth;
  berth.directory.write("f", "a");
  for (const char* edits : {"", "{}", "[1]", R"([{"old": "a"}])", R"([{"old": "a", "new": "b", "al": true}])",
                            R"([{"old": 1, "new": "b"}])", R"([{"old_b64": "?", "new": "b"}])",
                            R"([{"old": "a", "new": "b", "count": "1"}])", R"([{"old": "a", "new": "b", "all": 1}])"}) {
    auto error = berth.json({"edit", "f", "--edits", "-"}, 2, edits);
    EXPECT_EQ(error["error"]["code"], "invalid_argument") << edits << error;
  }
  EXPECT_EQ(berth.directory.read("f"), "a");
}

TEST(Edit, a_missing_anchor_shows_the_closest_places) {
  const Berth berth;
  berth.directory.write("f", "int  main()\n");
  const auto ended = berth({"edit", "f", "--old", "int main()", "--new", "x"});
  EXPECT_EQ(ended.status, 41);
  EXPECT_THAT(ended.err, HasSubstr("int  main()"));
}

TEST(Mv, moves_by_revision_and_never_overwrites) {
  const Berth berth;
  berth.directory.write("a", "x");
  berth.directory.write("b", "y");
  EXPECT_EQ(berth({"mv", "a", "b", "--if-revision", revision_of("x")}).status, 11);
  EXPECT_EQ(berth({"mv", "a", "c", "--if-revision", revision_of("z")}).status, 30);
  EXPECT_EQ(berth.json({"mv", "a", "d/c", "--if-revision", revision_of("x")}),
            (json{{"from", "a"}, {"to", "d/c"}, {"fidelity", "atomic_rename"}, {"revision", revision_of("x")}}));
  EXPECT_EQ(berth.directory.read("d/c"), "x");
  EXPECT_FALSE(berth.directory.exists("a"));
}

TEST(Mv, without_a_revision_moves_the_file_as_it_is_now) {
  const Berth berth;
  berth.directory.write("a", "x");
  berth.directory.write("b", "y");
  EXPECT_EQ(berth({"mv", "a", "b"}).status, 11);
  EXPECT_EQ(berth({"mv", "missing", "c"}).status, 10);
  EXPECT_EQ(berth({"mv", "a", "d/c"}), (Ended{0, "moved a to d/c\n", ""}));
  EXPECT_EQ(berth.directory.read("d/c"), "x");
  EXPECT_EQ(berth.directory.read("b"), "y");
  EXPECT_FALSE(berth.directory.exists("a"));
}

TEST(Mv, of_a_directory_says_what_moves_one) {
  const Berth berth;
  berth.directory.write("d/f", "x");
  for (const std::vector<std::string>& revision : {std::vector<std::string>{}, {"--if-revision", revision_of("x")}}) {
    std::vector<std::string> words = {"mv", "d", "e"};
    words.insert(words.end(), revision.begin(), revision.end());
    const auto ended = berth(words);
    EXPECT_EQ(ended.status, 13);
    EXPECT_THAT(ended.err, HasSubstr("next: move it with a command, `berth run -- mv -n FROM TO`"));
  }
  EXPECT_EQ(berth({"run", "--", "mv", "-n", "d", "e"}).status, 0);
  EXPECT_EQ(berth.directory.read("e/f"), "x");
  EXPECT_EQ(berth({"-w", "state:" + berth.directory.at("s.json"), "write", "d/f"}, "x").status, 0);
  EXPECT_THAT(berth({"-w", "state:" + berth.directory.at("s.json"), "mv", "d", "e"}).err,
              HasSubstr("next: move its files one by one"));
}

TEST(Rm, removes_files_and_whole_trees) {
  const Berth berth;
  berth.directory.write("f", "x");
  berth.directory.write("d/e", "y");
  EXPECT_EQ(berth({"rm", "d"}).status, 13);
  EXPECT_EQ(berth({"rm", "f"}), (Ended{0, "removed f\n", ""}));
  EXPECT_EQ(berth({"rm", "f"}), (Ended{0, "nothing at f\n", ""}));
  EXPECT_EQ(berth.json({"rm", "-r", "d"}), (json{{"path", "d"}, {"removed", 2}}));
  EXPECT_EQ(berth({"rm", "-r", "d"}).status, 10);
}

TEST(Mkdir, says_whether_it_made_something) {
  const Berth berth;
  EXPECT_EQ(berth.json({"mkdir", "a/b"}), (json{{"path", "a/b"}, {"created", true}}));
  EXPECT_EQ(berth.json({"mkdir", "a/b"}), (json{{"path", "a/b"}, {"created", false}}));
  EXPECT_EQ(berth({"mkdir", "a"}), (Ended{0, "already there: a\n", ""}));
}

}  // namespace
}  // namespace berth::testing
