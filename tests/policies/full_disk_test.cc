#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "providers/local/local.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"
#include "workspace/workspace.h"

namespace berth {
namespace {

using testing::FailsWith;
using testing::IsOk;

/// Run in a process with mounts of its own; what is mounted goes with it.
void in_mount_namespace(const std::function<void()>& body) {
  std::fflush(nullptr);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const bool apart = unshare(CLONE_NEWNS) == 0 && mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
    EXPECT_TRUE(apart);
    if (apart) body();
    std::fflush(nullptr);
    _exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

/// Every name below a directory, with the content of files.
std::map<std::string, std::string> everything(const testing::TempDir& dir, const std::string& below) {
  namespace fs = std::filesystem;
  std::map<std::string, std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(dir.at(below))) {
    const auto name = entry.path().lexically_relative(dir.path()).string();
    found[name] = entry.is_regular_file() ? dir.read(name) : "/";
  }
  return found;
}

std::string creates(const std::string& name, std::size_t bytes) {
  return "diff --git a/" + name + " b/" + name + "\nnew file mode 100644\n--- /dev/null\n+++ b/" + name +
         "\n@@ -0,0 +1 @@\n+" + std::string(bytes, 'x') + "\n";
}

// What a full disk is cannot be imitated: blocks and inodes run out in the middle of a change. Without being root there
// is none to fill; the rollback itself is tested with faults in src/engine/transactions.
TEST(FullDisk, C_PATCH_1_a_patch_that_does_not_fit_changes_nothing) {
  if (geteuid() != 0) return;
  const testing::TempDir dir;
  dir.make_directory("disk");
  in_mount_namespace([&] {
    for (const char* size : {"size=256k", "size=4m,nr_inodes=12"}) {
      SCOPED_TRACE(size);
      ASSERT_EQ(mount("tmpfs", dir.at("disk").c_str(), "tmpfs", 0, size), 0);
      dir.write("disk/f", "one\ntwo\n");
      dir.write("disk/gone", "x\n");
      dir.write("disk/old", "moved\n");
      const auto before = everything(dir, "disk");
      auto backend = local::open_local({dir.at("disk")}, {});
      ASSERT_THAT(backend, IsOk());
      Workspace workspace(std::move(backend).value());

      const std::string start =
          "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
          "diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
          "diff --git a/old b/d/new\nsimilarity index 100%\nrename from old\nrename to d/new\n";
      std::string too_much = start;
      for (int i = 0; i < 20; ++i) too_much += creates("more/e/f" + std::to_string(i), 30'000);
      EXPECT_THAT(workspace.apply_patch(Call(), too_much), FailsWith(ErrorCode::no_space));
      EXPECT_EQ(everything(dir, "disk"), before);
      // What fits is applied afterwards: nothing was left behind that takes its place.
      EXPECT_THAT(workspace.apply_patch(Call(), start + creates("small", 100)), IsOk());
      EXPECT_EQ(dir.read("disk/f"), "one\n2\n");
      ASSERT_EQ(umount2(dir.at("disk").c_str(), MNT_DETACH), 0);
    }
  });
}

}  // namespace
}  // namespace berth
