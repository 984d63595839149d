#include "testing/processes.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <vector>

#include <gtest/gtest.h>

namespace berth::testing {

bool is_root() noexcept { return ::geteuid() == 0; }

void in_child(const std::function<void()>& checks) {
  in_children(1, [&checks](int) { checks(); });
}

void in_children(int count, const std::function<void(int number)>& checks) {
  std::fflush(nullptr);
  std::vector<pid_t> children;
  for (int number = 0; number < count; ++number) {
    const pid_t child = ::fork();
    EXPECT_GE(child, 0);
    if (child == 0) {
      checks(number);
      std::fflush(nullptr);
      ::_exit(::testing::Test::HasFailure() ? 1 : 0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
}

bool can_mount() {
  static const bool can = [] {
    const pid_t child = ::fork();
    if (child == 0) {
      const bool done = ::unshare(CLONE_NEWNS) == 0 &&
                        ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                        ::mount("tmpfs", "/tmp", "tmpfs", 0, "size=64k") == 0;
      ::_exit(done ? 0 : 1);
    }
    int status = 1;
    return child > 0 && ::waitpid(child, &status, 0) == child && status == 0;
  }();
  return can;
}

void enter_own_mounts() {
  ASSERT_EQ(::unshare(CLONE_NEWNS), 0);
  ASSERT_EQ(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
}

void mount_small_disk(const std::string& directory, int size_bytes) {
  const std::string options = "size=" + std::to_string(size_bytes);
  ASSERT_EQ(::mount("tmpfs", directory.c_str(), "tmpfs", 0, options.c_str()), 0);
}

void make_read_only(const std::string& directory) {
  ASSERT_EQ(::mount(nullptr, directory.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr), 0);
}

SignalStorm::SignalStorm() {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  ::sigaction(SIGALRM, &action, nullptr);
  const itimerval storm{{0, 100}, {0, 100}};
  ::setitimer(ITIMER_REAL, &storm, nullptr);
}

SignalStorm::~SignalStorm() {
  const itimerval calm{};
  ::setitimer(ITIMER_REAL, &calm, nullptr);
  // One that is still under way must not end the program.
  std::signal(SIGALRM, SIG_IGN);
}

}  // namespace berth::testing
