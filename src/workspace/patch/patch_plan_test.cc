#include "workspace/patch/patch_fixture.h"

namespace berth {
namespace {

using testing::FailsWith;
using testing::IsOk;
using testing::MapFiles;
using testing::patched;
using testing::RejectedFor;
using Kind = PatchOperation::Kind;

Path path(std::string_view text) { return parse_path(text, {}).value(); }

TEST(PatchOperations, C_PATCH_1_typed_operations_become_one_plan) {
  Patch patch;
  patch.operations.push_back(
      {.kind = Kind::create, .path = path("new"), .git_mode = GitMode::executable, .content = "#!\n"});
  patch.operations.push_back({.kind = Kind::update,
                              .path = path("f"),
                              .expected_revision = Revision{"r:one\n"},
                              .change = std::vector<Edit>{{.old_text = "one", .new_text = "two"}}});
  patch.operations.push_back({.kind = Kind::remove, .path = path("gone")});
  patch.operations.push_back({.kind = Kind::move, .path = path("from"), .to = path("dir/to")});
  MapFiles files({{"f", "one\n"}, {"gone", "g\n"}, {"from", "m\n"}});
  const auto plan = plan_patch({}, patch, files);
  ASSERT_THAT(plan, IsOk());
  const auto source = [](Bytes content) { return PatchedSource{content, {"r:" + content}, GitMode::regular}; };
  EXPECT_EQ(plan->changes,
            (std::vector<FileChange>{
                {.path = path("dir/to"), .after = "m\n", .git_mode = GitMode::regular, .moved_from = path("from")},
                {.path = path("f"), .before = source("one\n"), .after = "two\n"},
                {.path = path("from"), .before = source("m\n"), .moved_to = path("dir/to")},
                {.path = path("gone"), .before = source("g\n")},
                {.path = path("new"), .after = "#!\n", .git_mode = GitMode::executable}}));
}

TEST(PatchOperations, AStaleRevisionIsAMismatch) {
  Patch patch;
  patch.operations.push_back({.kind = Kind::remove, .path = path("f"), .expected_revision = Revision{"r:old"}});
  const auto after = patched(MapFiles::Map{{"f", "new"}}, patch);
  ASSERT_THAT(after, FailsWith(ErrorCode::revision_mismatch));
  EXPECT_EQ(after.error().path, "f");
}

TEST(PatchOperations, EditsFailAsEditsDo) {
  Patch patch;
  patch.operations.push_back({.path = path("f"), .change = std::vector<Edit>{{.old_text = "a", .new_text = "b"}}});
  EXPECT_THAT(patched(MapFiles::Map{{"f", "a a"}}, patch), FailsWith(ErrorCode::ambiguous_match));
  EXPECT_THAT(patched(MapFiles::Map{{"f", "c"}}, patch), FailsWith(ErrorCode::match_not_found));
  EXPECT_THAT(patched(MapFiles::Map{}, patch), RejectedFor("missing_file"));
  EXPECT_THAT(patched(MapFiles::Map{{"f/", ""}}, patch), RejectedFor("not_a_file"));
}

TEST(PatchOperations, APathMayBeFreedAndTakenInOnePatch) {
  Patch patch;
  patch.operations.push_back({.kind = Kind::move, .path = path("f"), .to = path("g")});
  patch.operations.push_back({.kind = Kind::create, .path = path("f"), .content = "new"});
  const auto after = patched(MapFiles::Map{{"f", "old"}}, patch);
  ASSERT_THAT(after, IsOk());
  EXPECT_EQ(*after, (MapFiles::Map{{"f", "new"}, {"g", "old"}}));
}

TEST(PatchOperations, AnEmptyPatchIsRefused) {
  EXPECT_THAT(patched(MapFiles::Map{}, Patch{}), RejectedFor("malformed"));
}

}  // namespace
}  // namespace berth
