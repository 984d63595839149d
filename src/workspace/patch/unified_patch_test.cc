#include "workspace/patch/patch_fixture.h"

namespace berth {
namespace {

using testing::IsOk;
using testing::MapFiles;
using testing::patched;
using testing::RejectedFor;
using Map = MapFiles::Map;

const Map kFiles = {{"f", "one\ntwo\nthree\n"}};

std::string replaces(std::string_view old_name, std::string_view new_name) {
  return "--- " + std::string(old_name) + "\n+++ " + std::string(new_name) +
         "\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";
}

TEST(UnifiedPatch, C_PATCH_1_prefixes_timestamps_and_quotes_are_read) {
  const Map expected = {{"f", "one\n2\nthree\n"}};
  for (const auto& [a, b] :
       {std::pair("a/f", "b/f"), std::pair("f", "f"), std::pair("a/f\t2020-01-01", "b/f\t2020-01-01"),
        std::pair("\"a/\\146\"", "\"b/f\""), std::pair("old-1.0/f", "new-1.1/f"), std::pair("a//f", "b/f"),
        std::pair("f.orig", "f"), std::pair("f", "f.new")}) {
    SCOPED_TRACE(a);
    const auto after = patched(kFiles, replaces(a, b));
    ASSERT_THAT(after, IsOk());
    EXPECT_EQ(*after, expected);
  }
}

TEST(UnifiedPatch, C_PATCH_1_names_are_decoded_once_and_checked_once) {
  // What a second reader of the names would take for something else.
  EXPECT_THAT(patched({{".env", "one\ntwo\nthree\n"}}, replaces("\"a/\\056env\"", "\"b/\\056env\"")), IsOk());
  EXPECT_THAT(patched({{"server.pem", "one\ntwo\nthree\n"}}, replaces("a/server.pem\tx", "b/server.pem\tx")), IsOk());
  EXPECT_THAT(patched({{"\\056env", "one\ntwo\nthree\n"}}, replaces("a/\\056env", "b/\\056env")), IsOk());
  EXPECT_THAT(patched(kFiles, replaces("\"a/f", "b/f")), RejectedFor("bad_name"));
  EXPECT_THAT(patched(kFiles, replaces("\"a/\\9\"", "b/f")), RejectedFor("bad_name"));
  EXPECT_THAT(patched(kFiles, replaces("\"a/\\000f\"", "\"b/\\000f\"")), RejectedFor("bad_name"));
}

TEST(UnifiedPatch, ARemovedLineThatLooksLikeANameIsALine) {
  const auto after =
      patched({{"q.sql", "-- drop\nselect\n"}}, "--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1 @@\n--- drop\n select\n");
  ASSERT_THAT(after, IsOk());
  EXPECT_EQ(*after, (Map{{"q.sql", "select\n"}}));
}

TEST(UnifiedPatch, C_PATCH_1_names_without_prefix_are_taken_as_written_when_only_that_can_be_meant) {
  const Map src{{"src/f", "one\ntwo\nthree\n"}};
  const Map changed{{"src/f", "one\n2\nthree\n"}};
  ASSERT_THAT(patched(src, replaces("src/f", "src/f")), IsOk());
  EXPECT_EQ(*patched(src, replaces("src/f", "src/f")), changed);
  EXPECT_EQ(*patched(src, replaces("src/f.orig\t2024-01-02", "src/f\t2024-01-03")), changed);
  EXPECT_EQ(*patched(src, "diff --git src/f src/f\nindex 1..2 100644\n" + replaces("src/f", "src/f")), changed);
  EXPECT_EQ(*patched(src, "--- src/f\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-one\n-two\n-three\n"), Map{});
  // A directory of the other name is no file that could be meant.
  EXPECT_THAT(patched({{"src/f", "one\ntwo\nthree\n"}, {"f/x", ""}}, replaces("src/f", "src/f")), IsOk());
  const auto moved = patched(src,
                             "diff --git src/f src/g\nrename from src/f\nrename to src/g\n--- src/f\n+++ src/g\n"
                             "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n");
  ASSERT_THAT(moved, IsOk());
  EXPECT_EQ(*moved, (Map{{"src/g", "one\n2\nthree\n"}}));
}

TEST(UnifiedPatch, C_PATCH_1_names_without_prefix_that_may_mean_two_files_are_refused) {
  const Bytes content = "one\ntwo\nthree\n";
  const std::string patch = replaces("src/f", "src/f");
  EXPECT_THAT(patched({{"f", content}}, patch), RejectedFor("no_prefix"));
  EXPECT_THAT(patched({{"src/f", content}, {"f", content}}, patch), RejectedFor("no_prefix"));
  EXPECT_THAT(patched({{"src/f", content}}, patch + "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+x\n"),
              RejectedFor("no_prefix"));
  EXPECT_THAT(patched({}, patch), RejectedFor("missing_file"));
}

TEST(UnifiedPatch, C_PATCH_1_a_new_file_without_prefix_is_made_when_the_patch_shows_that_names_are_as_written) {
  const std::string creates = "--- /dev/null\n+++ src/new\n@@ -0,0 +1 @@\n+x\n";
  const std::string grows = "--- src/new\n+++ src/new\n@@ -0,0 +1 @@\n+x\n";
  const Map src{{"src/f", "one\ntwo\nthree\n"}};
  for (const auto& part : {creates, grows}) {
    SCOPED_TRACE(part);
    EXPECT_THAT(patched(src, part), RejectedFor("no_prefix"));
    const auto after = patched(src, part + replaces("src/f", "src/f"));
    ASSERT_THAT(after, IsOk());
    EXPECT_EQ(*after, (Map{{"src/f", "one\n2\nthree\n"}, {"src/new", "x\n"}}));
  }
  EXPECT_EQ(patched(src, creates).error().hint, "write the names as a/src/new and b/src/new");
}

TEST(UnifiedPatch, NamesThatDifferAreRefusedNotGuessed) {
  EXPECT_THAT(patched(kFiles, replaces("a/f", "b/g")), RejectedFor("names_differ"));
}

TEST(UnifiedPatch, C_PATCH_1_paths_that_escape_are_refused) {
  for (const char* name : {"b/../f", "b//../../f", "b/x/../../f", "b/..", "\"b/\\056\\056/f\""}) {
    SCOPED_TRACE(name);
    EXPECT_THAT(patched({}, std::string("--- /dev/null\n+++ ") + name + "\n@@ -0,0 +1 @@\n+x\n"),
                RejectedFor("escapes"));
  }
  EXPECT_THAT(patched({}, "diff --git a/f b/f\nrename from f\nrename to /etc/passwd\n"), RejectedFor("escapes"));
  EXPECT_THAT(patched({}, "--- /dev/null\n+++ /etc/passwd\n@@ -0,0 +1 @@\n+x\n"), RejectedFor("escapes"));
  for (const char* name : {"b/.git/hooks/pre-commit", "b/sub/.GIT/config", "b/git~1/config"}) {
    SCOPED_TRACE(name);
    EXPECT_THAT(patched({}, std::string("--- /dev/null\n+++ ") + name + "\n@@ -0,0 +1 @@\n+x\n"),
                RejectedFor("git_directory"));
  }
}

TEST(UnifiedPatch, C_PATCH_1_links_submodules_and_odd_modes_are_refused) {
  // B33: first a link out of the tree, then a file through it.
  const std::string link =
      "diff --git a/d b/d\nnew file mode 120000\n--- /dev/null\n+++ b/d\n@@ -0,0 +1 @@\n+/tmp\n\\ No newline at end of "
      "file\n";
  const std::string below =
      "diff --git a/d/x b/d/x\nnew file mode 100644\n--- /dev/null\n+++ b/d/x\n@@ -0,0 +1 @@\n+x\n";
  EXPECT_THAT(patched({}, link + below), RejectedFor("symlink"));
  EXPECT_THAT(patched({}, below + link), RejectedFor("symlink"));
  EXPECT_THAT(patched(kFiles, "diff --git a/f b/f\nold mode 100644\nnew mode 120000\n"), RejectedFor("symlink"));
  EXPECT_THAT(patched(kFiles, "diff --git a/f b/f\nindex 1..2 120000\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-one\n+1\n"),
              RejectedFor("symlink"));
  EXPECT_THAT(patched({}, "diff --git a/m b/m\nnew file mode 160000\n"), RejectedFor("submodule"));
  EXPECT_THAT(patched({}, "diff --git a/m b/m\nnew file mode 104755\n"), RejectedFor("bad_mode"));
  EXPECT_THAT(patched(kFiles, "diff --git a/f b/f\nold mode 100644\nnew mode 100777\n"), RejectedFor("bad_mode"));
  // A link that stands in the tree already.
  EXPECT_THAT(patched({{"d@", ""}}, below), RejectedFor("beyond_link"));
  EXPECT_THAT(patched({{"f@", ""}}, replaces("a/f", "b/f")), RejectedFor("beyond_link"));
}

TEST(UnifiedPatch, C_PATCH_1_binary_changes_are_refused) {
  EXPECT_THAT(patched(kFiles, "diff --git a/f b/f\nindex 1..2 100644\nGIT binary patch\nliteral 1\nIc${M\n\n"),
              RejectedFor("binary"));
  EXPECT_THAT(patched(kFiles, "diff --git a/f b/f\nindex 1..2 100644\nBinary files a/f and b/f differ\n"),
              RejectedFor("binary"));
  EXPECT_THAT(patched(kFiles, replaces("a/f", "b/f") + "Binary files a/g and b/g differ\n"), RejectedFor("binary"));
}

TEST(UnifiedPatch, CountsAreChecked) {
  const std::string head = "--- a/f\n+++ b/f\n";
  EXPECT_THAT(patched(kFiles, head + "@@ -1,4 +1,3 @@\n one\n-two\n+2\n three\n"), RejectedFor("wrong_counts"));
  EXPECT_THAT(patched(kFiles, head + "@@ -1,2 +1,2 @@\n one\n-two\n+2\n three\n"), RejectedFor("wrong_counts"));
  EXPECT_THAT(patched(kFiles, head + "@@ -1,2 +1,2 @@\n one\n-two\n+2\n+lost\n"), RejectedFor("wrong_counts"));
  EXPECT_THAT(patched(kFiles, head + "@@ -1,3 +1,2 @@\n one\n-two\n+2\n three\n"), RejectedFor("wrong_counts"));
  EXPECT_THAT(patched(kFiles, head + "@@ -1 +1 @@\n one\n"), RejectedFor("malformed"));
  EXPECT_THAT(patched(kFiles, head + "@@\n-two\n+2\n"), RejectedFor("malformed"));
  EXPECT_THAT(patched(kFiles, head + "nothing\n"), RejectedFor("malformed"));
  EXPECT_THAT(patched(kFiles, "@@ -1 +1 @@\n-one\n+1\n"), RejectedFor("malformed"));
  EXPECT_THAT(patched(kFiles, ""), RejectedFor("malformed"));
  EXPECT_THAT(patched(kFiles, head + "@@ -99999999999999999999 +1 @@\n-one\n+1\n"), RejectedFor("malformed"));
  EXPECT_THAT(patched(kFiles, head + "@@ -1 +1 @@\n-one\n\\ No newline at end of file\n-two\n+1\n"),
              RejectedFor("wrong_counts"));
}

TEST(UnifiedPatch, TheLastLineOfThePatchMayLackItsNewline) {
  std::string text = replaces("a/f", "b/f");
  text.pop_back();
  const auto after = patched(kFiles, text);
  ASSERT_THAT(after, IsOk());
  EXPECT_EQ(after->at("f"), "one\n2\nthree\n");
}

TEST(UnifiedPatch, ALostSpaceOfAnEmptyContextLineIsNone) {
  const auto after = patched({{"f", "a\n\nb\n"}}, "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n-a\n+A\n\n b\n");
  ASSERT_THAT(after, IsOk());
  EXPECT_EQ(after->at("f"), "A\n\nb\n");
}

TEST(UnifiedPatch, B34_lines_that_differ_in_white_space_are_no_match) {
  const Map files = {{"f", "def a():\n    flush()\n    return None\ndef b():\n        flush()\n        return None\n"}};
  const auto after =
      patched(files, "--- a/f\n+++ b/f\n@@ -5,2 +5,2 @@\n     flush ()\n-    return None\n+    return 1\n");
  ASSERT_THAT(after, RejectedFor("not_found"));
  const auto* places = after.error().field("places");
  ASSERT_NE(places, nullptr);
  EXPECT_EQ(std::get<std::vector<std::string>>(*places),
            (std::vector<std::string>{"2:     flush()", "5:         flush()"}));
}

TEST(UnifiedPatch, B34_of_several_places_none_is_guessed) {
  const std::string block = "begin\n  flush()\nend\n";
  const std::string hunk = "--- a/f\n+++ b/f\n@@ -20,3 +20,3 @@\n begin\n-  flush()\n+  close()\n end\n";
  const auto refused = patched({{"f", block + "x\n" + block + "y\n"}}, hunk);
  ASSERT_THAT(refused, RejectedFor("ambiguous_place"));
  EXPECT_EQ(std::get<std::vector<std::string>>(*refused.error().field("places")),
            (std::vector<std::string>{"1: begin", "5: begin"}));
  EXPECT_EQ(std::get<std::int64_t>(*refused.error().field("hunk")), 1);
  EXPECT_EQ(std::get<std::int64_t>(*refused.error().field("expected_line")), 20);
  // At its own line it is meant, whatever else looks like it.
  const auto meant = patched({{"f", block + "x\n" + block + "y\n"}},
                             "--- a/f\n+++ b/f\n@@ -5,3 +5,3 @@\n begin\n-  flush()\n+  close()\n end\n");
  ASSERT_THAT(meant, IsOk());
  EXPECT_EQ(meant->at("f"), block + "x\nbegin\n  close()\nend\ny\n");
}

TEST(UnifiedPatch, B35_a_hunk_is_never_placed_by_number_against_its_lines) {
  const auto after = patched(kFiles, "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n one\n-zwei\n+2\n three\n");
  ASSERT_THAT(after, RejectedFor("not_found"));
  EXPECT_EQ(after.error().path, "f");
  EXPECT_EQ(after.error().hint, "what stands there is 1: one");
  EXPECT_THAT(patched(kFiles, "--- a/f\n+++ b/f\n@@ -2,0 +3 @@\n+new\n"), RejectedFor("no_context"));
}

TEST(UnifiedPatch, SaysThatItIsAppliedAlready) {
  const auto after = patched({{"f", "one\n2\nthree\n"}}, replaces("a/f", "b/f"));
  ASSERT_THAT(after, RejectedFor("already_applied"));
  EXPECT_EQ(std::get<std::string>(*after.error().field("already_applied")), "true");
}

TEST(UnifiedPatch, B36_nothing_is_overwritten) {
  const Map files = {{"f", "one\ntwo\nthree\n"}, {"g", "other\n"}};
  EXPECT_THAT(patched(files, "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+x\n"), RejectedFor("file_exists"));
  EXPECT_THAT(patched(files, "diff --git a/f b/g\nsimilarity index 100%\nrename from f\nrename to g\n"),
              RejectedFor("file_exists"));
  EXPECT_THAT(patched(files, "diff --git a/f b/g\nsimilarity index 100%\ncopy from f\ncopy to g\n"),
              RejectedFor("file_exists"));
}

TEST(UnifiedPatch, B36_015_all_files_or_none_and_every_refusal_is_named) {
  const auto after = patched(
      {{"f", "one\ntwo\nthree\n"}, {"g", "x\n"}},
      replaces("a/f", "b/f") + "--- a/g\n+++ b/g\n@@ -1 +1 @@\n-y\n+z\n--- a/h\n+++ b/h\n@@ -1 +1 @@\n-y\n+z\n");
  ASSERT_THAT(after, RejectedFor("not_found"));
  EXPECT_EQ(std::get<std::vector<std::string>>(*after.error().field("rejections")),
            (std::vector<std::string>{"g: hunk 1: its lines are not in the file", "h: there is no such file"}));
}

TEST(UnifiedPatch, TwoPartsForOneFileAreRefused) {
  EXPECT_THAT(patched(kFiles, replaces("a/f", "b/f") + replaces("a/f", "b/f")), RejectedFor("duplicate_target"));
  EXPECT_THAT(patched(kFiles, replaces("a/f", "b/f") + "diff --git a/f b/g\nrename from f\nrename to g\n"),
              RejectedFor("duplicate_target"));
  EXPECT_THAT(patched({}, "--- /dev/null\n+++ b/d\n@@ -0,0 +1 @@\n+x\n--- /dev/null\n+++ b/d/x\n@@ -0,0 +1 @@\n+x\n"),
              RejectedFor("in_the_way"));
}

TEST(UnifiedPatch, RenamesInACircleMeanTheFilesBefore) {
  const auto after =
      patched({{"a", "A\n"}, {"b", "B\n"}},
              "diff --git a/a b/b\nrename from a\nrename to b\ndiff --git a/b b/a\nrename from b\nrename to a\n");
  ASSERT_THAT(after, IsOk());
  EXPECT_EQ(*after, (Map{{"a", "B\n"}, {"b", "A\n"}}));
}

TEST(UnifiedPatch, CRLF_files_and_patches_keep_the_endings_of_the_file) {
  const std::string lf = replaces("a/f", "b/f");
  std::string crlf;
  for (const char c : lf) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  const Map windows = {{"f", "one\r\ntwo\r\nthree\r\n"}};
  for (const auto& text : {lf, crlf}) {
    const auto unix_file = patched(kFiles, text);
    ASSERT_THAT(unix_file, IsOk());
    EXPECT_EQ(unix_file->at("f"), "one\n2\nthree\n");
    const auto windows_file = patched(windows, text);
    ASSERT_THAT(windows_file, IsOk());
    EXPECT_EQ(windows_file->at("f"), "one\r\n2\r\nthree\r\n");
  }
  // A mixed file is taken as it is.
  EXPECT_THAT(patched({{"f", "one\r\ntwo\nthree\n"}}, lf), RejectedFor("not_found"));
}

TEST(UnifiedPatch, AFileWithoutItsLastNewlineIsPatchedAsItIs) {
  const std::string none = "\\ No newline at end of file\n";
  const auto added = patched({{"f", "a\nb"}}, "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n" + none + "+b\n");
  ASSERT_THAT(added, IsOk());
  EXPECT_EQ(added->at("f"), "a\nb\n");
  const auto taken = patched({{"f", "a\nb\n"}}, "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+b\n" + none);
  ASSERT_THAT(taken, IsOk());
  EXPECT_EQ(taken->at("f"), "a\nb");
  EXPECT_THAT(patched({{"f", "a\nb"}}, "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"), RejectedFor("not_found"));
  EXPECT_THAT(patched({{"f", "a\nb\n"}}, "--- a/f\n+++ b/f\n@@ -1,2 +1,3 @@\n a\n+x\n" + none + " b\n"),
              RejectedFor("malformed"));
}

TEST(UnifiedPatch, DeletionsTakeTheWholeFile) {
  EXPECT_THAT(patched({{"f", "a\nb\n"}}, "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"), RejectedFor("not_found"));
  EXPECT_THAT(patched({{"f", "a\n"}}, "diff --git a/f b/f\ndeleted file mode 100644\n"), RejectedFor("file_remains"));
  const auto gone = patched({{"f", "a\n"}}, "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n");
  ASSERT_THAT(gone, IsOk());
  EXPECT_TRUE(gone->empty());
}

TEST(UnifiedPatch, TheNumberOfFilesIsBounded) {
  std::string text;
  for (int i = 0; i < 101; ++i) text += "--- /dev/null\n+++ b/f" + std::to_string(i) + "\n@@ -0,0 +1 @@\n+x\n";
  const auto after = patched({}, text);
  ASSERT_THAT(after, testing::FailsWith(ErrorCode::too_large));
  EXPECT_EQ(std::get<std::string>(*after.error().field("limit")), "patch_files");
}

TEST(UnifiedPatch, PlacingIsLinearInWhatRepeats) {
  Bytes content;
  std::string hunk;
  for (int i = 0; i < 200'000; ++i) content += "a\n";
  for (int i = 0; i < 100'000; ++i) hunk += " a\n";
  const auto after =
      patched({{"f", content}}, "--- a/f\n+++ b/f\n@@ -900000,100001 +900000,100001 @@\n" + hunk + "-b\n+c\n");
  EXPECT_THAT(after, RejectedFor("not_found"));
}

}  // namespace
}  // namespace berth
