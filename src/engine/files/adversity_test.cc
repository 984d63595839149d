#include <fcntl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <functional>

#include "engine/files/files_fixture.h"
#include "engine/files/revision_cache.h"
#include "testing/processes.h"

namespace berth::engine {
namespace {

using berth::testing::FailsWith;
using berth::testing::in_child;
using berth::testing::is_root;
using berth::testing::IsOk;
using Names = std::vector<std::string>;

class AdversityTest : public FilesTest {
 protected:
  /// In a process with mounts of its own.
  void in_mount_namespace(const std::function<void()>& checks) {
    in_child([&] {
      testing::enter_own_mounts();
      // A root that was pinned before shows the old mounts.
      open_root(dir.path());
      checks();
    });
  }

  void open_root(const std::string& path) {
    root = *os::Root::open({path}, {os::LinkPolicy::follow_inside, GetParam().features});
    files = HostFiles::make(root, {});
  }
};
BERTH_FOR_EVERY_FEATURE_SET(AdversityTest);

TEST_P(AdversityTest, C_WRITE_4_a_full_disk_is_no_space_and_leaves_the_old_file) {
  if (!is_root()) return;
  dir.make_directory("disk");
  in_mount_namespace([&] {
    testing::mount_small_disk(dir.at("disk"), 256 * 1024);
    ASSERT_THAT(write("disk/f", "old"), IsOk());
    const std::string big(1 << 20, 'x');
    EXPECT_THAT(write("disk/f", big), FailsWith(ErrorCode::no_space));
    EXPECT_THAT(replace("disk/f", big, revision_of("old")), FailsWith(ErrorCode::no_space));
    EXPECT_THAT(create("disk/a/b/new", big), FailsWith(ErrorCode::no_space));
    EXPECT_EQ(dir.read("disk/f"), "old");
    EXPECT_EQ(tree(), (Names{"disk/", "disk/f"}));
    EXPECT_THAT(write("disk/f", "new"), IsOk());
  });
}

TEST_P(AdversityTest, C_WRITE_4_a_file_size_limit_is_too_large_and_leaves_the_old_file) {
  in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100'000, 100'000};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    ASSERT_THAT(write("f", "old"), IsOk());
    EXPECT_THAT(write("f", std::string(200'000, 'x')), FailsWith(ErrorCode::too_large));
    EXPECT_EQ(dir.read("f"), "old");
    EXPECT_EQ(tree(), Names{"f"});
  });
}

TEST_P(AdversityTest, a_read_only_file_system_is_read_only_and_can_be_read) {
  if (!is_root()) return;
  dir.make_directory("disk");
  in_mount_namespace([&] {
    ASSERT_EQ(mount("tmpfs", dir.at("disk").c_str(), "tmpfs", 0, nullptr), 0);
    dir.write("disk/f", "old");
    dir.make_directory("disk/empty");
    testing::make_read_only(dir.at("disk"));
    EXPECT_EQ(read("disk/f")->content, "old");
    EXPECT_THAT(write("disk/f", "new"), FailsWith(ErrorCode::read_only));
    EXPECT_THAT(replace("disk/f", "new", revision_of("old")), FailsWith(ErrorCode::read_only));
    EXPECT_THAT(replace("disk/f", "new", revision_of("stale")), FailsWith(ErrorCode::revision_mismatch));
    EXPECT_THAT(create("disk/g", "new"), FailsWith(ErrorCode::read_only));
    EXPECT_THAT(write("disk/a/b", "new"), FailsWith(ErrorCode::read_only));
    EXPECT_THAT(remove("disk/f", {}), FailsWith(ErrorCode::read_only));
    EXPECT_THAT(remove_tree("disk/empty"), FailsWith(ErrorCode::read_only));
    EXPECT_THAT(move("disk/f", "disk/g", {.expected_revision = revision_of("old")}), FailsWith(ErrorCode::read_only));
    EXPECT_THAT(make_directory("disk/new"), FailsWith(ErrorCode::read_only));
    EXPECT_THAT(prune("disk/empty"), FailsWith(ErrorCode::read_only));
  });
}

TEST_P(AdversityTest, C_WRITE_9_mounts_are_not_removed_and_never_a_way_to_the_root) {
  if (!is_root()) return;
  dir.write("outer", "x");
  dir.write("ws/inner", "x");
  for (const char* name : {"ws/tree/mounted", "ws/above", "ws/other"}) dir.make_directory(name);
  in_mount_namespace([&] {
    ASSERT_EQ(mount(dir.at("ws").c_str(), dir.at("ws/tree/mounted").c_str(), nullptr, MS_BIND, nullptr), 0);
    ASSERT_EQ(mount(dir.path().c_str(), dir.at("ws/above").c_str(), nullptr, MS_BIND, nullptr), 0);
    ASSERT_EQ(mount("tmpfs", dir.at("ws/other").c_str(), "tmpfs", 0, nullptr), 0);
    dir.write("ws/other/f", "x");
    open_root(dir.at("ws"));
    EXPECT_THAT(remove_tree("tree/mounted"), FailsWith(ErrorCode::invalid_argument));
    EXPECT_THAT(remove_tree("tree"), FailsWith(ErrorCode::invalid_argument));
    EXPECT_THAT(remove_tree("above"), FailsWith(ErrorCode::invalid_argument));
    EXPECT_THAT(remove_tree("other"), FailsWith(ErrorCode::conflict));
    EXPECT_THAT(prune("tree"), FailsWith(ErrorCode::conflict));
    for (const char* name : {"outer", "ws/inner", "ws/other/f"}) EXPECT_TRUE(dir.exists(name)) << name;
  });
}

TEST_P(AdversityTest, C_WRITE_7_a_move_between_file_systems_is_refused_whole) {
  if (!is_root()) return;
  dir.write("f", "x");
  dir.make_directory("disk");
  in_mount_namespace([&] {
    ASSERT_EQ(mount("tmpfs", dir.at("disk").c_str(), "tmpfs", 0, nullptr), 0);
    EXPECT_THAT(move("f", "disk/a/g", {.expected_revision = revision_of("x")}), FailsWith(ErrorCode::invalid_argument));
    EXPECT_EQ(tree(), (Names{"disk/", "f"}));
  });
}

TEST_P(AdversityTest, an_unprivileged_user_gets_permission_denied_and_nothing_is_lost) {
  if (!is_root()) return;
  chmod(".", 0755);
  dir.write("readable", "r");
  dir.write("secret", "s");
  chmod("secret", 0600);
  dir.write("closed/f", "c");
  chmod("closed", 0700);
  dir.write("open/f", "old");
  chmod("open", 0777);
  chmod("open/f", 04644);
  dir.make_directory("drop");
  chmod("drop", 0733);
  const Names before = tree();
  in_child([&] {
    ASSERT_EQ(setgid(65534) | setuid(65534), 0);
    EXPECT_EQ(read("readable")->content, "r");
    EXPECT_THAT(read("secret"), FailsWith(ErrorCode::permission_denied));
    EXPECT_THAT(read("closed/f"), FailsWith(ErrorCode::permission_denied));
    EXPECT_THAT(list("closed"), FailsWith(ErrorCode::permission_denied));
    EXPECT_EQ(stat("secret")->size, 1);
    EXPECT_THAT(write("readable", "x"), FailsWith(ErrorCode::permission_denied));
    EXPECT_THAT(write("new", "x"), FailsWith(ErrorCode::permission_denied));
    EXPECT_THAT(write("a/b", "x"), FailsWith(ErrorCode::permission_denied));
    EXPECT_THAT(replace("readable", "x", revision_of("r")), FailsWith(ErrorCode::permission_denied));
    EXPECT_THAT(replace("secret", "x", revision_of("s")), FailsWith(ErrorCode::permission_denied));
    EXPECT_THAT(remove("readable", {}), FailsWith(ErrorCode::permission_denied));
    EXPECT_THAT(remove_tree("closed"), FailsWith(ErrorCode::permission_denied));
    EXPECT_THAT(move("readable", "open/g", {.expected_revision = revision_of("r")}),
                FailsWith(ErrorCode::permission_denied));
    EXPECT_THAT(make_directory("new"), FailsWith(ErrorCode::permission_denied));
    EXPECT_THAT(write("open/f", "new"), IsOk());
    EXPECT_THAT(write("drop/f", "dropped"), IsOk());
    EXPECT_THAT(replace("drop/f", "x", revision_of("dropped")), IsOk());
  });
  EXPECT_EQ(dir.read("open/f"), "new");
  EXPECT_EQ(mode("open/f"), 0644u) << "a set-user-ID bit must not speak for the new owner";
  Names after = tree();
  std::erase(after, "drop/f");
  EXPECT_EQ(after, before);
}

TEST_P(AdversityTest, interrupted_system_calls_are_repeated) {
  const testing::SignalStorm storm;
  const std::string content(300'000, 'x');
  for (int i = 0; i < 20; ++i) {
    EXPECT_THAT(write("a/b/f", content), IsOk());
    EXPECT_THAT(replace("a/b/f", content, revision_of(content)), IsOk());
    EXPECT_EQ(read("a/b/f")->content, content);
    EXPECT_THAT(read_lines("a/b/f", {.count_lines = true}), IsOk());
    EXPECT_THAT(list("a/b"), IsOk());
    EXPECT_THAT(move("a/b/f", "c/f", {.expected_revision = revision_of(content)}), IsOk());
    EXPECT_THAT(remove_tree("c"), IsOk());
    EXPECT_THAT(prune("a"), IsOk());
  }
  EXPECT_EQ(tree(), Names{});
}

TEST_P(AdversityTest, a_root_that_was_deleted_is_environment_gone) {
  dir.make_directory("root");
  const auto gone_root = *os::Root::open({dir.at("root")}, {os::LinkPolicy::follow_inside, GetParam().features});
  const auto gone = HostFiles::make(gone_root, {});
  std::filesystem::remove(dir.at("root"));
  const Path f = path_of("f");
  const Path deep = path_of("a/f");
  EXPECT_THAT(gone->read({}, f, {}), FailsWith(ErrorCode::environment_gone));
  EXPECT_THAT(gone->read_lines({}, deep, {}), FailsWith(ErrorCode::environment_gone));
  EXPECT_THAT(gone->stat({}, f, FollowLeaf::no), FailsWith(ErrorCode::environment_gone));
  EXPECT_THAT(gone->list_directory({}, Path()), FailsWith(ErrorCode::environment_gone));
  EXPECT_THAT(gone->real_path({}, f), FailsWith(ErrorCode::environment_gone));
  EXPECT_THAT(gone->write({}, f, "x", {}), FailsWith(ErrorCode::environment_gone));
  EXPECT_THAT(gone->write({}, deep, "x", {.when = WriteSpec::When::absent}), FailsWith(ErrorCode::environment_gone));
  EXPECT_THAT(gone->remove({}, f, {}), FailsWith(ErrorCode::environment_gone));
  EXPECT_THAT(gone->remove({}, deep, {.what = RemoveSpec::What::tree}), FailsWith(ErrorCode::environment_gone));
  EXPECT_THAT(gone->move({}, f, deep, {}), FailsWith(ErrorCode::environment_gone));
  EXPECT_THAT(gone->make_directory({}, f), FailsWith(ErrorCode::environment_gone));
  EXPECT_THAT(gone->prune_empty_directories({}, deep, 10), FailsWith(ErrorCode::environment_gone));
  EXPECT_FALSE(dir.exists("root"));
}

}  // namespace
}  // namespace berth::engine
