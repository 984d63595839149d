#include "workspace/patch/patch_fixture.h"

namespace berth {
namespace {

using testing::IsOk;
using testing::MapFiles;
using testing::patched;
using testing::RejectedFor;
using Map = MapFiles::Map;

std::string patch(std::string_view body) { return "*** Begin Patch\n" + std::string(body) + "*** End Patch\n"; }
std::string update(std::string_view body) { return patch("*** Update File: f\n" + std::string(body)); }

TEST(BeginPatch, AddsUpdatesMovesAndDeletes) {
  const auto after = patched({{"f", "one\ntwo\nthree\n"}, {"gone", "x\n"}, {"old", "a\nb\n"}},
                             patch("*** Add File: dir/new\n+first\n+\n+third\n"
                                   "*** Update File: f\n@@\n one\n-two\n+2\n three\n"
                                   "*** Update File: old\n*** Move to: moved\n@@ a\n-b\n+B\n"
                                   "*** Delete File: gone\n"));
  ASSERT_THAT(after, IsOk());
  EXPECT_EQ(*after, (Map{{"dir/new", "first\n\nthird\n"}, {"f", "one\n2\nthree\n"}, {"moved", "a\nB\n"}}));
}

TEST(BeginPatch, AMoveNeedsNoHunk) {
  const auto after = patched({{"f", "x\n"}}, update("*** Move to: g\n"));
  ASSERT_THAT(after, IsOk());
  EXPECT_EQ(*after, (Map{{"g", "x\n"}}));
}

TEST(BeginPatch, B36_nothing_is_overwritten) {
  EXPECT_THAT(patched({{"f", "x\n"}}, patch("*** Add File: f\n+y\n")), RejectedFor("file_exists"));
  EXPECT_THAT(patched({{"f", "x\n"}, {"g", "y\n"}}, update("*** Move to: g\n@@\n-x\n+z\n")),
              RejectedFor("file_exists"));
}

TEST(BeginPatch, B36_014_the_end_of_the_file_stays_as_it_is) {
  const auto after = patched({{"f", "a\nb"}}, update("@@\n a\n-b\n+c\n+d\n"));
  ASSERT_THAT(after, IsOk());
  EXPECT_EQ(after->at("f"), "a\nc\nd");
  const auto ended = patched({{"f", "a\nb"}}, update("@@\n a\n b\n+c\n*** End of File\n"));
  ASSERT_THAT(ended, IsOk());
  EXPECT_EQ(ended->at("f"), "a\nb\nc");
}

TEST(BeginPatch, NewLinesTakeTheEndingsAroundThem) {
  const auto crlf = patched({{"f", "a\r\nb\r\nc\r\n"}}, update("@@\n a\n-b\n+x\n+y\n c\n"));
  ASSERT_THAT(crlf, IsOk());
  EXPECT_EQ(crlf->at("f"), "a\r\nx\r\ny\r\nc\r\n");
  const auto mixed = patched({{"f", "a\nb\r\nc\n"}}, update("@@\n a\n-b\n+x\n c\n"));
  ASSERT_THAT(mixed, IsOk());
  EXPECT_EQ(mixed->at("f"), "a\nx\r\nc\n");
}

TEST(BeginPatch, B34_the_place_is_exact_and_the_only_one) {
  const Map twice = {{"f", "def a():\n  flush()\ndef b():\n  flush()\n"}};
  EXPECT_THAT(patched(twice, update("@@\n-  flush()\n+  close()\n")), RejectedFor("ambiguous_place"));
  EXPECT_THAT(patched(twice, update("@@\n-    flush()\n+  close()\n")), RejectedFor("not_found"));
  const auto second = patched(twice, update("@@ def b():\n-  flush()\n+  close()\n"));
  ASSERT_THAT(second, IsOk());
  EXPECT_EQ(second->at("f"), "def a():\n  flush()\ndef b():\n  close()\n");
  EXPECT_THAT(patched(twice, update("@@ def c():\n-  flush()\n+  close()\n")), RejectedFor("not_found"));
  const auto last = patched(twice, update("@@\n-  flush()\n+  close()\n*** End of File\n"));
  ASSERT_THAT(last, IsOk());
  EXPECT_EQ(last->at("f"), second->at("f"));
}

TEST(BeginPatch, HunksComeInTheOrderOfTheFile) {
  const Map files = {{"f", "1\n2\n3\n4\n"}};
  const auto after = patched(files, update("@@\n-1\n+one\n@@\n-3\n+three\n"));
  ASSERT_THAT(after, IsOk());
  EXPECT_EQ(after->at("f"), "one\n2\nthree\n4\n");
  EXPECT_THAT(patched(files, update("@@\n-3\n+three\n@@\n-1\n+one\n")), RejectedFor("not_found"));
}

TEST(BeginPatch, AHunkThatOnlyAddsNeedsTheEnd) {
  EXPECT_THAT(patched({{"f", "a\n"}}, update("@@\n+b\n")), RejectedFor("no_context"));
  const auto appended = patched({{"f", "a\n"}}, update("@@\n+b\n*** End of File\n"));
  ASSERT_THAT(appended, IsOk());
  EXPECT_EQ(appended->at("f"), "a\nb\n");
  const auto filled = patched({{"f", ""}}, update("@@\n+b\n"));
  ASSERT_THAT(filled, IsOk());
  EXPECT_EQ(filled->at("f"), "b\n");
}

TEST(BeginPatch, SaysThatItIsAppliedAlready) {
  EXPECT_THAT(patched({{"f", "a\nc\n"}}, update("@@\n a\n-b\n+c\n")), RejectedFor("already_applied"));
}

TEST(BeginPatch, PathsThatEscapeAreRefused) {
  for (const char* path : {"/etc/passwd", "../x", "a/../../x", "a/../b"}) {
    SCOPED_TRACE(path);
    EXPECT_THAT(patched({}, patch("*** Add File: " + std::string(path) + "\n+x\n")), RejectedFor("escapes"));
  }
  EXPECT_THAT(patched({}, patch("*** Add File: .git/hooks/x\n+x\n")), RejectedFor("git_directory"));
}

TEST(BeginPatch, WhatIsNoPatchIsRefused) {
  for (const char* text :
       {"*** Begin Patch\n", "*** Begin Patch\n*** End Patch\n", "*** Begin Patch\n*** Update File: f\n*** End Patch\n",
        "*** Begin Patch\n*** Add File: f\nx\n*** End Patch\n", "*** Begin Patch\nx\n*** End Patch\n",
        "*** Begin Patch\n*** Update File: f\n@@\n a\n*** End Patch\n",
        "*** Begin Patch\n*** Update File: f\n@@\n-a\n+b\n*** End Patch\nmore\n",
        "*** Begin Patch\n*** Update File: f\n@@\nnaked\n*** End Patch\n",
        "*** Begin Patch\n*** Rename File: f\n*** End Patch\n",
        "*** Begin Patch\n*** Add File: \n+x\n*** End Patch\n"}) {
    SCOPED_TRACE(text);
    const auto after = patched({{"f", "a\n"}}, text);
    ASSERT_FALSE(after.has_value());
    EXPECT_EQ(after.error().code, ErrorCode::patch_rejected);
  }
}

TEST(BeginPatch, BlankLinesAndLostSpacesAreNoObstacle) {
  const auto after =
      patched({{"f", "a\n\nb\n"}, {"g", "x\n"}},
              "\n*** Begin Patch\n*** Update File: f\n@@\n a\n\n-b\n+c\n\n*** Delete File: g\n\n*** End Patch\n\n");
  ASSERT_THAT(after, IsOk());
  EXPECT_EQ(*after, (Map{{"f", "a\n\nc\n"}}));
}

TEST(BeginPatch, APatchWithCarriageReturnsIsReadWithoutThem) {
  const auto after =
      patched({{"f", "a\nb\n"}}, "*** Begin Patch\r\n*** Update File: f\r\n@@\r\n a\r\n-b\r\n+c\r\n*** End Patch\r\n");
  ASSERT_THAT(after, IsOk());
  EXPECT_EQ(after->at("f"), "a\nc\n");
}

}  // namespace
}  // namespace berth
