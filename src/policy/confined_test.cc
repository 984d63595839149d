#include "policy/confined.h"

#include "policy/policy_fixture.h"

namespace berth {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using ::testing::IsEmpty;
using testing::IsOk;
using testing::path_of;

class ConfinedTest : public PolicyTest {
 protected:
  ConfinedTest() {
    memory->file("secret.txt", "outside\n")
        .file("view/a.txt", "inside\n")
        .file("view/dir/b.txt", "inside b\n")
        .directory("other")
        .link("view/out", "../secret.txt")
        .link("view/out_dir", "../other")
        .link("view/absolute_in", "/memory/view/a.txt")
        .link("view/absolute_out", "/memory/secret.txt")
        .link("view/dangling_out", "../none")
        .link("view/self", "/memory/view")
        .link("view/up", "..")
        .link("view/to_dir", "dir")
        .link("alias", "view");
    wrap(make_confined, path_of("view"));
    open();
  }
};

TEST_F(ConfinedTest, PathsAreTheViewsOwn) {
  EXPECT_EQ(workspace->read(call, "a.txt")->content, "inside\n");
  EXPECT_EQ(workspace->read(call, "/memory/view/dir/b.txt")->content, "inside b\n");
  EXPECT_EQ(workspace->read(call, "self/self/a.txt")->content, "inside\n");
  EXPECT_EQ(workspace->read(call, "absolute_in")->content, "inside\n");
  EXPECT_EQ(*workspace->real_path(call, "to_dir/b.txt"), path_of("dir/b.txt"));
  EXPECT_EQ(*workspace->real_path(call, "self"), Path());
  EXPECT_EQ(workspace->info().root_names, std::vector<std::string>{"/memory/view"});
  EXPECT_EQ(workspace->info().resource_key, "memory:1/view");
  EXPECT_THAT(workspace->read(call, "/memory/secret.txt"), FailsWith(ErrorCode::path_escape));
}

TEST_F(ConfinedTest, ALinkOutOfTheViewIsAnEscapeThoughItStaysInsideTheWorkspace) {
  for (const char* path :
       {"out", "absolute_out", "dangling_out", "up/secret.txt", "out_dir/x", "up/view/a.txt/../../secret.txt"}) {
    SCOPED_TRACE(path);
    EXPECT_THAT(workspace->write(call, path, "x"), testing::FailsWith(ErrorCode::path_escape));
  }
  for (const char* path : {"out", "absolute_out", "dangling_out", "up/secret.txt", "up", "out_dir", "out_dir/x"}) {
    SCOPED_TRACE(path);
    EXPECT_THAT(workspace->read(call, path), FailsWith(ErrorCode::path_escape));
    EXPECT_THAT(workspace->read_lines(call, path), FailsWith(ErrorCode::path_escape));
    EXPECT_THAT(workspace->stat(call, path), FailsWith(ErrorCode::path_escape));
    EXPECT_THAT(workspace->list_directory(call, path), FailsWith(ErrorCode::path_escape));
    EXPECT_THAT(workspace->real_path(call, path), FailsWith(ErrorCode::path_escape));
    EXPECT_THAT(workspace->glob(call, "*", path), FailsWith(ErrorCode::path_escape));
    EXPECT_THAT(workspace->search(call, path, {.pattern = "x"}), FailsWith(ErrorCode::path_escape));
    EXPECT_THAT(workspace->make_directory(call, path), FailsWith(ErrorCode::path_escape));
    EXPECT_THAT(workspace->run(call, {.argv = {"true"}, .cwd = path_of(path)}), FailsWith(ErrorCode::path_escape));
  }
  EXPECT_THAT(workspace->remove(call, "up/secret.txt"), FailsWith(ErrorCode::path_escape));
  const auto revision = workspace->read(call, "a.txt")->revision.value();
  const auto moved = workspace->move_if(call, "a.txt", "up/a.txt", revision);
  EXPECT_THAT(moved, FailsWith(ErrorCode::path_escape));
  EXPECT_EQ(moved.error().path, "up/a.txt");
  EXPECT_EQ(memory->content("secret.txt"), "outside\n");
}

TEST_F(ConfinedTest, C_WRITE_9_the_root_is_not_removed_however_it_is_spelled) {
  const auto revision = workspace->read(call, "a.txt")->revision.value();
  EXPECT_THAT(workspace->remove(call, "up/view"), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(workspace->prune_empty_directories(call, "up/view", 99), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(workspace->move_if(call, "up/view", "x", revision), FailsWith(ErrorCode::invalid_argument));
  EXPECT_EQ(workspace->remove(call, "self")->removed, 1);
  EXPECT_EQ(memory->content("view/a.txt"), "inside\n");
}

TEST_F(ConfinedTest, WritesListingsAndCommandsStayInside) {
  EXPECT_THAT(workspace->create(call, "new.txt", "n"), IsOk());
  EXPECT_EQ(memory->content("view/new.txt"), "n");
  EXPECT_THAT(workspace->write(call, "to_dir/c.txt", "c"), IsOk());
  EXPECT_EQ(memory->content("view/dir/c.txt"), "c");
  EXPECT_THAT(names(workspace->list_directory(call, "to_dir")), ElementsAre("b.txt", "c.txt"));
  EXPECT_THAT(texts(workspace->glob(call, "**", "dir")->paths), ElementsAre("dir/b.txt", "dir/c.txt"));
  EXPECT_EQ(workspace->search(call, "to_dir", {.pattern = "inside"})->lines.front().path, path_of("to_dir/b.txt"));
  const auto page = workspace->list(call);
  for (const auto& path : page->paths) EXPECT_FALSE(path.text().starts_with("view"));
  memory->calls.clear();
  EXPECT_THAT(workspace->run(call, {.argv = {"true"}, .cwd = path_of("dir")}), IsOk());
  EXPECT_EQ(memory->calls.back(), "run true in view/dir");
}

TEST_F(ConfinedTest, ALinkDoesNotTellWhatStandsOutside) {
  EXPECT_EQ(workspace->stat(call, "out_dir", FollowLeaf::no)->target_is_directory, false);
  EXPECT_EQ(workspace->stat(call, "to_dir", FollowLeaf::no)->target_is_directory, true);
  const auto listing = workspace->list_directory(call, ".");
  for (const auto& entry : listing->entries) {
    EXPECT_EQ(entry.stat.target_is_directory, entry.name == "to_dir" || entry.name == "self") << entry.name;
  }
}

TEST_F(ConfinedTest, ALinkPutInPlaceAfterTheCheckLeadsNowhere) {
  ASSERT_THAT(workspace->ensure(call), IsOk());
  memory->file("other/b.txt", "outside b\n");
  memory->before_call = [&](const std::string& note) {
    memory->drop("view/dir");
    if (note.starts_with("real_path")) {
      memory->file("view/dir/b.txt", "inside b\n");
    } else {
      memory->link("view/dir", "../other");
    }
  };
  EXPECT_THAT(workspace->read(call, "dir/b.txt"), FailsWith(ErrorCode::conflict));
  EXPECT_THAT(workspace->write(call, "dir/b.txt", "planted"), FailsWith(ErrorCode::conflict));
  EXPECT_EQ(memory->content("other/b.txt"), "outside b\n");
}

TEST_F(ConfinedTest, ALinkPutInPlaceOfTheRootIsAnEscape) {
  ASSERT_THAT(workspace->ensure(call), IsOk());
  memory->drop("view");
  memory->file("other/a.txt", "outside a\n").link("view", "other");
  EXPECT_THAT(workspace->read(call, "a.txt"), FailsWith(ErrorCode::path_escape));
}

TEST(Confined, TheDirectoryIsLookedUpOnFirstUse) {
  auto owned = std::make_unique<testing::MemoryBackend>();
  auto& memory = *owned;
  memory.file("file", "x");
  const Call call;
  Workspace workspace(make_confined(std::move(owned), path_of("late")));
  const auto missing = workspace.read(call, "a");
  ASSERT_THAT(missing, FailsWith(ErrorCode::not_found));
  EXPECT_EQ(missing.error().path, "late") << "it is the root that is missing, not the file";
  memory.file("late/a", "here");
  EXPECT_EQ(workspace.read(call, "a")->content, "here");
}

TEST(Confined, ADirectoryThatIsALinkIsKeptByItsRealName) {
  auto owned = std::make_unique<testing::MemoryBackend>();
  auto& memory = *owned;
  memory.file("v1/a", "one").file("v2/a", "two").link("current", "v1");
  const Call call;
  Workspace workspace(make_confined(std::move(owned), path_of("current")));
  EXPECT_EQ(workspace.read(call, "a")->content, "one");
  memory.link("current", "v2");
  EXPECT_EQ(workspace.read(call, "a")->content, "one");
}

TEST(Confined, AFileIsNoRoot) {
  auto owned = std::make_unique<testing::MemoryBackend>();
  owned->file("file", "x");
  Workspace workspace(make_confined(std::move(owned), path_of("file")));
  const auto made = workspace.ensure({});
  ASSERT_THAT(made, FailsWith(ErrorCode::not_a_directory));
  EXPECT_EQ(made.error().path, "file");
}

TEST_F(ConfinedTest, C_POL_1_a_link_tells_nothing_of_what_stands_outside) {
  memory->file("other/a.txt", "outside a\n");
  for (const char* target :
       {"../other/a.txt", "../other/a.txt/below", "../other/none/below", "/memory/other/a.txt/x"}) {
    memory->link("view/told", target);
    EXPECT_THAT(workspace->read(call, "told"), FailsWith(ErrorCode::path_escape)) << target;
    EXPECT_THAT(workspace->stat(call, "told/x"), FailsWith(ErrorCode::path_escape)) << target;
  }
}

TEST(Confined, ToTheRootItChangesNothing) {
  auto owned = std::make_unique<testing::MemoryBackend>();
  owned->file("a", "x");
  Workspace workspace(make_confined(std::move(owned), Path()));
  EXPECT_EQ(workspace.read({}, "a")->content, "x");
  EXPECT_EQ(workspace.info().root_names, std::vector<std::string>{"/memory"});
}

}  // namespace
}  // namespace berth
