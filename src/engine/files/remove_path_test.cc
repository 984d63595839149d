#include "engine/files/remove_path.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "engine/files/directory_stack.h"
#include "engine/files/files_fixture.h"
#include "engine/files/revision_cache.h"

namespace berth::engine {
namespace {

using berth::testing::FailsWith;
using berth::testing::IsOk;
using Names = std::vector<std::string>;
using What = RemoveSpec::What;

class RemoveTest : public FilesTest {
 protected:
  void fill() {
    dir.write("file", "x");
    dir.make_directory("directory");
    make_fifo("fifo");
    dir.make_link("link", "file");
    dir.make_link("dangling", "nothing");
    dir.make_link("out", "/etc/passwd");
  }
};
BERTH_FOR_EVERY_FEATURE_SET(RemoveTest);

TEST_P(RemoveTest, C_WRITE_5_delete_removes_files_links_and_specials_and_nothing_missing) {
  fill();
  for (const char* name : {"file", "fifo", "link", "dangling", "out"}) {
    const auto outcome = remove(name, {.what = What::file_if_present});
    ASSERT_THAT(outcome, IsOk());
    EXPECT_EQ(outcome->removed, 1) << name;
  }
  EXPECT_EQ(remove("file", {.what = What::file_if_present})->removed, 0);
  EXPECT_EQ(remove("no/parent", {.what = What::file_if_present})->removed, 0);
  EXPECT_THAT(remove("directory", {.what = What::file_if_present}), FailsWith(ErrorCode::is_a_directory));
  EXPECT_EQ(tree(), Names{"directory/"});
}

TEST_P(RemoveTest, C_WRITE_5_delete_if_compares_and_unlinks) {
  fill();
  const RemoveSpec spec{.what = What::file_if_revision, .expected_revision = revision_of("x")};
  EXPECT_THAT(remove("missing", spec), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(remove("no/parent", spec), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(remove("directory", spec), FailsWith(ErrorCode::is_a_directory));
  EXPECT_THAT(remove("fifo", spec), FailsWith(ErrorCode::not_regular));
  EXPECT_THAT(remove("link", spec), FailsWith(ErrorCode::not_regular));
  const auto stale = remove("file", {.what = What::file_if_revision, .expected_revision = revision_of("other")});
  ASSERT_THAT(stale, FailsWith(ErrorCode::revision_mismatch));
  EXPECT_EQ(*stale.error().field("actual_revision"), ErrorField::Value(revision_of("x").text));
  RemoveSpec executable = spec;
  executable.expected_git_mode = GitMode::executable;
  EXPECT_THAT(remove("file", executable), FailsWith(ErrorCode::mode_mismatch));
  EXPECT_EQ(dir.read("file"), "x");
  EXPECT_EQ(remove("file", spec)->removed, 1);
  EXPECT_FALSE(dir.exists("file"));
}

TEST_P(RemoveTest, C_WRITE_5_remove_takes_files_links_specials_and_whole_trees) {
  fill();
  testing::TempDir outside;
  outside.write("kept", "x");
  dir.write("directory/a/b", "x");
  dir.write("directory/a/.hidden", "x");
  dir.make_directory("directory/empty");
  dir.make_link("directory/to_outside", outside.path());
  dir.make_link("directory/to_root", "..");
  EXPECT_THAT(remove_tree("missing"), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(remove_tree("no/parent"), FailsWith(ErrorCode::not_found));
  EXPECT_EQ(remove_tree("directory")->removed, 7);
  for (const char* name : {"file", "fifo", "link", "dangling", "out"}) EXPECT_EQ(remove_tree(name)->removed, 1);
  EXPECT_EQ(tree(), Names{});
  EXPECT_TRUE(outside.exists("kept"));
}

TEST_P(RemoveTest, C_WRITE_9_the_root_is_refused_however_it_is_spelled_or_linked) {
  dir.write("file", "x");
  dir.make_link("sub/self", "..");
  dir.make_link("absolute", dir.path());
  for (const What what : {What::tree, What::file_if_present, What::file_if_revision}) {
    EXPECT_THAT(files->remove({}, Path(), {.what = what}), FailsWith(ErrorCode::invalid_argument));
  }
  // A link is removed itself; what it leads to stays.
  EXPECT_EQ(remove_tree("sub/self")->removed, 1);
  EXPECT_EQ(remove_tree("absolute")->removed, 1);
  EXPECT_EQ(tree(), (Names{"file", "sub/"}));
}

TEST_P(RemoveTest, trees_of_any_depth_are_removed_with_few_descriptors) {
  constexpr std::size_t kDepth = DirectoryStack::kOpenDirectories * 3 / 2;
  std::string path = "top";
  for (std::size_t i = 0; i < kDepth; ++i) {
    dir.make_directory(path);
    dir.write(path + "/file", "x");
    dir.write(path + "/z/file", "x");
    path += "/d";
  }
  EXPECT_EQ(remove_tree("top")->removed, static_cast<std::int64_t>(4 * kDepth));
  EXPECT_EQ(tree(), Names{});
}

TEST_P(RemoveTest, a_tree_deeper_than_any_path_is_removed) {
  const int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(chdir(dir.path().c_str()), 0);
  const std::string name(200, 'd');
  ASSERT_EQ(mkdir("top", 0755) | chdir("top"), 0);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(mkdir(name.c_str(), 0755) | chdir(name.c_str()), 0);
  ASSERT_EQ(fchdir(here), 0);
  close(here);
  EXPECT_EQ(remove_tree("top")->removed, 101);
  EXPECT_EQ(tree(), Names{});
}

TEST_P(RemoveTest, a_tree_can_have_no_expected_mode_or_token) {
  dir.write("d/f", "x");
  EXPECT_THAT(remove("d", {.what = What::tree, .expected_git_mode = GitMode::regular}),
              FailsWith(ErrorCode::invalid_argument));
  EXPECT_TRUE(dir.exists("d/f"));
}

TEST_P(RemoveTest, a_stopped_call_removes_nothing) {
  dir.write("d/f", "x");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THAT(files->remove({Deadline::never(), stop.get_token(), {}}, path_of("d"), {.what = What::tree}),
              FailsWith(ErrorCode::cancelled));
  EXPECT_TRUE(dir.exists("d/f"));
}

class PruneTest : public FilesTest {};
BERTH_FOR_EVERY_FEATURE_SET(PruneTest);

TEST_P(PruneTest, C_WRITE_10_a_tree_of_directories_is_removed) {
  dir.make_directory("top/a/b");
  dir.make_directory("top/c");
  EXPECT_EQ(prune("top")->removed, 4);
  EXPECT_EQ(tree(), Names{});
  EXPECT_EQ(prune("top")->removed, 0);
  EXPECT_EQ(prune("no/parent")->removed, 0);
}

TEST_P(PruneTest, C_WRITE_10_anything_else_in_it_keeps_the_whole_tree) {
  dir.make_directory("a/x");
  dir.write("a/z/.hidden", "");
  dir.make_directory("b/x");
  dir.make_link("b/z/link", "x");
  dir.make_directory("c/x");
  dir.make_directory("c/z");
  make_fifo("c/z/fifo");
  const Names before = tree();
  for (const char* name : {"a", "b", "c"}) EXPECT_THAT(prune(name), FailsWith(ErrorCode::not_empty)) << name;
  EXPECT_EQ(tree(), before);
}

TEST_P(PruneTest, C_WRITE_10_more_directories_than_allowed_are_too_large) {
  dir.make_directory("top/a/b");
  dir.make_directory("top/c");
  const auto outcome = prune("top", 3);
  ASSERT_THAT(outcome, FailsWith(ErrorCode::too_large));
  EXPECT_EQ(*outcome.error().field("max_directories"), ErrorField::Value(std::int64_t{3}));
  EXPECT_EQ(tree(), (Names{"top/", "top/a/", "top/a/b/", "top/c/"}));
  EXPECT_EQ(prune("top", 4)->removed, 4);
}

TEST_P(PruneTest, C_WRITE_10_files_links_and_the_root_are_refused) {
  dir.write("file", "x");
  dir.make_directory("directory");
  dir.make_link("link", "directory");
  EXPECT_THAT(prune("file"), FailsWith(ErrorCode::not_a_directory));
  EXPECT_THAT(prune("link"), FailsWith(ErrorCode::not_a_directory));
  EXPECT_THAT(prune("."), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(prune("directory", 0), FailsWith(ErrorCode::invalid_argument));
}

TEST_P(PruneTest, deep_trees_are_pruned) {
  std::string path = "top";
  for (std::size_t i = 0; i < DirectoryStack::kOpenDirectories * 3 / 2; ++i) {
    dir.make_directory(path + "/a");
    dir.make_directory(path + "/z");
    path += "/d";
  }
  const auto all = static_cast<std::int64_t>(tree().size());
  EXPECT_EQ(prune("top", all)->removed, all);
  EXPECT_EQ(tree(), Names{});
}

}  // namespace
}  // namespace berth::engine
