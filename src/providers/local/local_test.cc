#include "providers/local/local.h"

#include <sys/stat.h>
#include <gmock/gmock.h>

#include <filesystem>

#include "providers/local/local_id.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"
#include "workspace/workspace.h"

namespace berth::local {
namespace {

using berth::testing::FailsWith;
using berth::testing::IsOk;
using berth::testing::TempDir;
using ::testing::ElementsAre;

LocalOptions options() {
  LocalOptions chosen;
  chosen.features = os::Features::probe();
  return chosen;
}

std::unique_ptr<Workspace> open(const TempDir& dir, std::string_view below = "") {
  const auto path = below.empty() ? dir.path() : dir.at(below);
  return std::make_unique<Workspace>(std::move(open_local({path}, options())).value());
}

TEST(Local, C_ENV_1_the_ref_is_known_from_the_start) {
  const TempDir dir;
  const auto workspace = open(dir);
  ASSERT_TRUE(workspace->ref().has_value());
  EXPECT_EQ(workspace->ref()->provider, "local");
  EXPECT_THAT(workspace->ref()->id, ::testing::MatchesRegex("[0-9a-f]+:/.*"));
  EXPECT_EQ(try_parse_id(workspace->ref()->id)->path, dir.path());
  EXPECT_EQ(workspace->info().isolation, "none");
  EXPECT_EQ(workspace->info().confinement, Confinement::root);
}

TEST(Local, OneDirectoryHasOneKeyAndOneRefHoweverItIsSpelled) {
  const TempDir dir;
  dir.make_directory("real");
  dir.make_link("alias", "real");
  const auto direct = open(dir, "real");
  const auto linked = open(dir, "alias");
  EXPECT_EQ(direct->info().resource_key, linked->info().resource_key);
  EXPECT_EQ(direct->ref(), linked->ref());
  EXPECT_NE(direct->info().resource_key, open(dir)->info().resource_key);
}

TEST(Local, C_ENV_2_a_ref_attaches_to_the_same_directory) {
  const TempDir dir;
  dir.write("a.txt", "one");
  const auto ref = open(dir)->ref().value();
  auto attached = attach_local(ref, options());
  ASSERT_THAT(attached, IsOk());
  Workspace workspace(std::move(attached).value());
  EXPECT_EQ(workspace.read({}, "a.txt")->content, "one");
  EXPECT_EQ(workspace.ref(), ref);
}

TEST(Local, C_ENV_2_a_directory_made_again_is_another_one) {
  const TempDir dir;
  dir.make_directory("w");
  const auto ref = open(dir, "w")->ref().value();
  std::filesystem::remove(dir.at("w"));
  EXPECT_THAT(attach_local(ref, options()), FailsWith(ErrorCode::environment_gone));
  dir.make_directory("w");
  EXPECT_THAT(attach_local(ref, options()), FailsWith(ErrorCode::environment_gone));
  std::filesystem::remove(dir.at("w"));
  dir.write("w", "a file");
  EXPECT_THAT(attach_local(ref, options()), FailsWith(ErrorCode::environment_gone));
}

TEST(Local, C_ENV_4_a_ref_that_nobody_gave_out_is_foreign) {
  const TempDir dir;
  const auto good = open(dir)->ref().value();
  const std::vector<std::string> ids{"",
                                     dir.path(),
                                     "0123456789abcdef:relative",
                                     "0123456789ABCDEF:" + dir.path(),
                                     "0123:" + dir.path(),
                                     "0123456789abcdef" + dir.path(),
                                     std::string("0123456789abcdef:/a\0b", 21),
                                     "0123456789abcdef:/" + std::string(5000, 'a')};
  for (const auto& id : ids) {
    EXPECT_THAT(attach_local({"local", id}, options()), FailsWith(ErrorCode::foreign_ref)) << id;
  }
  EXPECT_THAT(attach_local({"docker", good.id}, options()), FailsWith(ErrorCode::foreign_ref));
  EXPECT_THAT(attach_local({"local", "0123456789abcdef:" + dir.path()}, options()),
              FailsWith(ErrorCode::environment_gone));
}

TEST(Local, WhatIsNoDirectoryIsNotOpened) {
  const TempDir dir;
  dir.write("file", "x");
  EXPECT_THAT(open_local({dir.at("none")}, options()), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(open_local({dir.at("file")}, options()), FailsWith(ErrorCode::not_a_directory));
}

TEST(Local, ADeletedRootIsGoneForEveryCallAlsoWhenAnotherTakesItsName) {
  const TempDir dir;
  dir.write("w/a.txt", "one");
  const auto workspace = open(dir, "w");
  const Call call;
  ASSERT_THAT(workspace->read(call, "a.txt"), IsOk());
  std::filesystem::remove_all(dir.at("w"));
  dir.write("w/a.txt", "another");
  const Revision any{"sha256:x"};
  constexpr auto kGone = ErrorCode::environment_gone;
  EXPECT_THAT(workspace->read(call, "a.txt"), FailsWith(kGone));
  EXPECT_THAT(workspace->read_lines(call, "a.txt"), FailsWith(kGone));
  EXPECT_THAT(workspace->stat(call, "a.txt"), FailsWith(kGone));
  EXPECT_THAT(workspace->exists(call, "a.txt"), FailsWith(kGone));
  EXPECT_THAT(workspace->list_directory(call, "."), FailsWith(kGone));
  EXPECT_THAT(workspace->real_path(call, "a.txt"), FailsWith(kGone));
  EXPECT_THAT(workspace->write(call, "a.txt", "x"), FailsWith(kGone));
  EXPECT_THAT(workspace->create(call, "new/b", "x"), FailsWith(kGone));
  EXPECT_THAT(workspace->replace(call, "a.txt", "x", any), FailsWith(kGone));
  EXPECT_THAT(workspace->delete_file(call, "a.txt"), FailsWith(kGone));
  EXPECT_THAT(workspace->delete_if(call, "a.txt", any), FailsWith(kGone));
  EXPECT_THAT(workspace->move_if(call, "a.txt", "b", any), FailsWith(kGone));
  EXPECT_THAT(workspace->remove(call, "a.txt"), FailsWith(kGone));
  EXPECT_THAT(workspace->make_directory(call, "d"), FailsWith(kGone));
  EXPECT_THAT(workspace->prune_empty_directories(call, "d", 9), FailsWith(kGone));
  EXPECT_THAT(workspace->list(call), FailsWith(kGone));
  EXPECT_THAT(workspace->search(call, ".", {.pattern = "x"}), FailsWith(kGone));
  EXPECT_THAT(workspace->run(call, {.argv = {"true"}}), FailsWith(kGone));
  EXPECT_EQ(dir.read("w/a.txt"), "another");
}

TEST(Local, AWorkingDayFromEndToEnd) {
  const TempDir dir;
  dir.write("src/main.c", "int main(void)\r\n{\r\n  return 1;\r\n}\r\n");
  const auto workspace = open(dir);
  const Call call;
  EXPECT_THAT(workspace->list(call)->paths, ElementsAre(*workspace->resolve("src/main.c")));
  const auto found = workspace->search(call, ".", {.pattern = "return \\d"});
  ASSERT_THAT(found, IsOk());
  ASSERT_EQ(found->lines.size(), 1U);
  EXPECT_EQ(found->lines[0].line, 3);

  const std::vector<Edit> edits{{.old_text = "{\n  return 1;", .new_text = "{\n  // fine\n  return 0;"}};
  const auto edited = workspace->edit(call, dir.at("src/main.c"), edits);
  ASSERT_THAT(edited, IsOk());
  EXPECT_EQ(dir.read("src/main.c"), "int main(void)\r\n{\r\n  // fine\r\n  return 0;\r\n}\r\n");
  EXPECT_EQ(edited->revision, workspace->read(call, "src/main.c")->revision);
  EXPECT_THAT(workspace->edit(call, "src/main.c", edits, {.expected_revision = edited->previous_revision}),
              FailsWith(ErrorCode::revision_mismatch));

  const auto moved = workspace->move_if(call, "src/main.c", "lib/main.c", edited->revision);
  ASSERT_THAT(moved, IsOk());
  EXPECT_EQ(moved->revision, edited->revision);
  const auto outcome = workspace->run(call, {.argv = {"ls"}, .cwd = *workspace->resolve("lib")});
  ASSERT_THAT(outcome, IsOk());
  EXPECT_EQ(outcome->out.head, "main.c\n");
  EXPECT_THAT(workspace->run(call, {.argv = {"ls"}, .cwd = *workspace->resolve("none")}),
              FailsWith(ErrorCode::not_found));
  EXPECT_EQ(workspace->remove(call, "lib")->removed, 2);
}

TEST(Local, ErrorsNameThePathAsWrittenAndNothingOutside) {
  const TempDir dir;
  dir.write("outside", "x");
  dir.make_link("w/out", "../outside");
  const auto workspace = open(dir, "w");
  const Call call;
  for (const char* path : {"./out", "./out/below", "./none"}) {
    const auto error = workspace->read(call, path).error();
    EXPECT_EQ(error.path, path);
    EXPECT_THAT(berth::to_string(error), ::testing::Not(::testing::HasSubstr(dir.path())));
  }
  EXPECT_THAT(workspace->read(call, "out"), FailsWith(ErrorCode::path_escape));
}

TEST(Local, TheLinkFreeFacesRefuseEveryLink) {
  const TempDir dir;
  dir.write("d/a", "one");
  dir.make_link("l", "d");
  dir.make_link("d/b", "a");
  auto backend = std::move(open_local({dir.path()}, options())).value();
  const auto faces = backend->link_free();
  const auto path = [](std::string_view text) { return parse_path(text, {}).value(); };
  const Call call;
  EXPECT_THAT(backend->reads()->read(call, path("l/b"), {}), IsOk());
  EXPECT_THAT(faces.reads->read(call, path("d/a"), {}), IsOk());
  EXPECT_THAT(faces.reads->read(call, path("l/a"), {}), FailsWith(ErrorCode::path_escape));
  EXPECT_THAT(faces.reads->read(call, path("d/b"), {}), FailsWith(ErrorCode::path_escape));
  EXPECT_THAT(faces.reads->stat(call, path("d/b"), FollowLeaf::yes), FailsWith(ErrorCode::path_escape));
  EXPECT_THAT(faces.reads->list_directory(call, path("l")), FailsWith(ErrorCode::path_escape));
  EXPECT_THAT(faces.reads->real_path(call, path("l/a")), FailsWith(ErrorCode::path_escape));
  EXPECT_THAT(faces.writes->write(call, path("l/new"), "x", {}), FailsWith(ErrorCode::path_escape));
  EXPECT_THAT(faces.writes->write(call, path("d/b"), "x", {}), FailsWith(ErrorCode::path_escape));
  EXPECT_THAT(faces.writes->make_directory(call, path("l/new")), FailsWith(ErrorCode::path_escape));
  EXPECT_THAT(faces.writes->remove(call, path("l/a"), {.what = RemoveSpec::What::tree}),
              FailsWith(ErrorCode::path_escape));
  EXPECT_THAT(faces.search->list(call, {.base = path("l")}), FailsWith(ErrorCode::path_escape));
  EXPECT_THAT(faces.search->search(call, {.pattern = "one", .base = path("l")}), FailsWith(ErrorCode::path_escape));
  EXPECT_EQ(faces.reads->stat(call, path("d/b"), FollowLeaf::no)->kind, FileKind::symlink);
  EXPECT_EQ(faces.writes->remove(call, path("d/b"), {})->removed, 1);
  EXPECT_EQ(dir.read("d/a"), "one");
}

TEST(LocalId, IsReadAsItIsWritten) {
  const LocalId id{"0123456789abcdef", "/a b/c:d"};
  EXPECT_EQ(try_parse_id(to_string(id)), id);
}

}  // namespace
}  // namespace berth::local
