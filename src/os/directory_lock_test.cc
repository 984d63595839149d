#include "os/directory_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "os/root_fixture.h"
#include "os/wait.h"
#include "testing/matchers.h"
#include "testing/open_files.h"
#include "testing/temp_dir.h"

namespace berth::os {
namespace {

using std::chrono::milliseconds;
using testing::FailsWith;
using testing::IsOk;
using testing::TempDir;

Fd handle(const std::string& name) { return Fd(::open(name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)); }

/// A lock held by somebody else: a flock of its own, as another process would have.
Fd foreign_lock(const std::string& name) {
  Fd fd(::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  EXPECT_EQ(::flock(fd.get(), LOCK_EX | LOCK_NB), 0);
  return fd;
}

TEST(DirectoryLock, C_WRITE_12_excludes_others_by_flock_until_destroyed) {
  const TempDir dir;
  const auto fd = handle(dir.path());
  const Fd other(::open(dir.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  {
    const auto lock = DirectoryLock::take({}, fd.get());
    ASSERT_THAT(lock, IsOk());
    EXPECT_EQ(::flock(other.get(), LOCK_EX | LOCK_NB), -1);
  }
  EXPECT_EQ(::flock(other.get(), LOCK_EX | LOCK_NB), 0);
}

TEST(DirectoryLock, IsReleasedAlthoughAChildStillHoldsACopyOfItsDescriptor) {
  const TempDir dir;
  const auto fd = handle(dir.path());
  std::optional<DirectoryLock> lock(DirectoryLock::take({}, fd.get()).value());
  int gate[2];
  ASSERT_EQ(::pipe2(gate, O_CLOEXEC), 0);
  Fd wait_end(gate[0]);
  Fd hold_end(gate[1]);
  const auto child = ::fork();
  if (child == 0) {
    hold_end.reset();
    char byte = 0;
    ::_exit(static_cast<int>(::read(wait_end.get(), &byte, 1)));
  }
  lock.reset();
  EXPECT_THAT(DirectoryLock::take({Deadline::after(std::chrono::seconds(5)), {}, {}}, fd.get()), IsOk());
  hold_end.reset();
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
}

TEST(DirectoryLock, MovesAndGivesUpWhatItHeldWhenAssigned) {
  const TempDir a;
  const TempDir b;
  const auto fd_a = handle(a.path());
  const auto fd_b = handle(b.path());
  auto lock = DirectoryLock::take({}, fd_a.get()).value();
  lock = DirectoryLock::take({}, fd_b.get()).value();
  EXPECT_THAT(DirectoryLock::take({}, fd_a.get()), IsOk());
  const Call soon{Deadline::after(milliseconds(10)), {}, {}};
  EXPECT_THAT(DirectoryLock::take(soon, fd_b.get()), FailsWith(ErrorCode::timed_out));
}

TEST(DirectoryLock, WaitingHonoursDeadlineAndStop) {
  const TempDir dir;
  const auto fd = handle(dir.path());
  const auto before = testing::open_files();
  {
    const auto held = foreign_lock(dir.path());
    const Call soon{Deadline::after(milliseconds(30)), {}, {}};
    EXPECT_THAT(DirectoryLock::take(soon, fd.get()), FailsWith(ErrorCode::timed_out));
    EXPECT_LT(Clock::now() - soon.deadline.when(), std::chrono::seconds(2));
    std::stop_source source;
    std::jthread stopper([&source] { source.request_stop(); });
    EXPECT_THAT(DirectoryLock::take({Deadline::never(), source.get_token(), {}}, fd.get()),
                FailsWith(ErrorCode::cancelled));
  }
  EXPECT_EQ(testing::open_files(), before);
  EXPECT_THAT(DirectoryLock::take({}, fd.get()), IsOk());
}

TEST(DirectoryLock, C_WRITE_12_a_stranger_that_never_lets_go_does_not_hold_a_call_without_a_deadline) {
  const TempDir dir;
  const auto fd = handle(dir.path());
  const auto held = foreign_lock(dir.path());
  EXPECT_THAT(DirectoryLock::take({}, fd.get(), milliseconds(30)), FailsWith(ErrorCode::unavailable));
  const Call soon{Deadline::after(milliseconds(10)), {}, {}};
  EXPECT_THAT(DirectoryLock::take(soon, fd.get()), FailsWith(ErrorCode::timed_out));
}

TEST(DirectoryLock, AWaiterGetsItWhenAForeignHolderLetsGo) {
  const TempDir dir;
  const auto fd = handle(dir.path());
  auto held = foreign_lock(dir.path());
  std::atomic<bool> released = false;
  std::jthread waiter([&] {
    const auto lock = DirectoryLock::take({}, fd.get());
    EXPECT_THAT(lock, IsOk());
    EXPECT_TRUE(released);
  });
  released = true;
  held.reset();
}

TEST(DirectoryLock, ThreadsExcludeEachOtherAndNoneStarves) {
  const TempDir dir;
  const auto fd = handle(dir.path());
  constexpr int kThreads = 8;
  constexpr int kRounds = 200;
  int counter = 0;
  std::atomic<int> inside = 0;
  std::vector<Clock::duration> longest(kThreads);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < kRounds; ++i) {
          const auto start = Clock::now();
          const auto lock = DirectoryLock::take({}, fd.get());
          ASSERT_THAT(lock, IsOk());
          longest[t] = std::max(longest[t], Clock::now() - start);
          ASSERT_EQ(inside.fetch_add(1), 0);
          ++counter;
          inside.fetch_sub(1);
        }
      });
    }
  }
  EXPECT_EQ(counter, kThreads * kRounds);
  EXPECT_LT(*std::ranges::max_element(longest), std::chrono::seconds(10));
}

TEST(DirectoryLock, WaitersThatGiveUpLeaveTheQueueInOrder) {
  const TempDir a;
  const TempDir b;
  const Fd directories[] = {handle(a.path()), handle(b.path())};
  std::atomic<int> inside[2] = {0, 0};
  std::atomic<int> taken = 0;
  std::atomic<int> given_up = 0;
  const auto before = testing::open_files();
  {
    std::vector<std::jthread> threads;
    for (unsigned t = 0; t < 6; ++t) {
      threads.emplace_back([&, t] {
        std::mt19937 random(t);
        for (int i = 0; i < 300; ++i) {
          const auto which = random() % 2;
          std::stop_source source;
          Call call{Deadline::after(std::chrono::microseconds(random() % 300)), source.get_token(), {}};
          if (random() % 4 == 0) call.deadline = Deadline::never();
          const auto lock = DirectoryLock::take(call, directories[which].get());
          if (!lock) {
            EXPECT_EQ(lock.error().code, ErrorCode::timed_out);
            ++given_up;
            continue;
          }
          ++taken;
          ASSERT_EQ(inside[which].fetch_add(1), 0);
          if (random() % 8 == 0) {
            ASSERT_THAT(pause({}, std::chrono::microseconds(200)), IsOk());
          }
          inside[which].fetch_sub(1);
        }
      });
    }
  }
  EXPECT_EQ(taken + given_up, 6 * 300);
  EXPECT_GT(taken, 0);
  EXPECT_GT(given_up, 0);
  EXPECT_EQ(testing::open_files(), before);
}

TEST(DirectoryLock, ProcessesExcludeEachOther) {
  const TempDir dir;
  dir.write("counter", "0");
  constexpr int kProcesses = 4;
  constexpr int kRounds = 100;
  std::vector<pid_t> children;
  for (int p = 0; p < kProcesses; ++p) {
    const auto child = ::fork();
    if (child == 0) {
      const auto fd = handle(dir.path());
      for (int i = 0; i < kRounds; ++i) {
        const auto lock = DirectoryLock::take({}, fd.get());
        if (!lock) ::_exit(1);
        dir.write("counter", std::to_string(std::stoi(dir.read("counter")) + 1));
      }
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (const auto child : children) {
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(dir.read("counter"), std::to_string(kProcesses * kRounds));
}

TEST(DirectoryLock, ADirectoryThatMayBeSearchedButNotReadExcludesTheThreadsOfThisProcess) {
  const TempDir dir;
  dir.make_directory("dropbox");
  ASSERT_EQ(::chmod(dir.path().c_str(), 0755), 0);
  ASSERT_EQ(::chmod(dir.at("dropbox").c_str(), 0333), 0);
  EXPECT_EQ(as_nobody([&] {
              const auto fd = handle(dir.at("dropbox"));
              if (!fd) return 1;
              std::optional<DirectoryLock> lock(DirectoryLock::take({}, fd.get()).value());
              const auto second = DirectoryLock::take({Deadline::after(milliseconds(10)), {}, {}}, fd.get());
              if (second || second.error().code != ErrorCode::timed_out) return 2;
              lock.reset();
              return DirectoryLock::take({}, fd.get()) ? 0 : 3;
            }),
            0);
}

TEST(DirectoryLock, SaysWhatIsWrong) {
  const TempDir dir;
  dir.write("file", "");
  const Fd file(::open(dir.at("file").c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_THAT(DirectoryLock::take({}, file.get()), FailsWith(ErrorCode::not_a_directory));
}

}  // namespace
}  // namespace berth::os
