#include "os/features.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>

#include <gtest/gtest.h>

#include "os/fd.h"
#include "testing/open_files.h"

namespace berth::os {
namespace {

TEST(Features, NoneTakesEveryFallback) { EXPECT_EQ(Features::none(), Features()); }

TEST(Features, ProbeGivesTheSameTwiceAndLeavesNothingOpen) {
  const auto before = testing::open_files();
  const auto first = Features::probe();
  EXPECT_EQ(first, Features::probe());
  EXPECT_EQ(testing::open_files(), before);
}

TEST(Features, ProbeSaysWhatTheKernelDoes) {
  const auto features = Features::probe();
  const Fd self(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)));
  EXPECT_EQ(features.pidfd, static_cast<bool>(self));
}

TEST(Fd, ClosesOnceAndMoves) {
  int number = -1;
  {
    Fd first(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    number = first.get();
    Fd second = std::move(first);
    EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): a moved-from Fd holds none
    EXPECT_EQ(second.get(), number);
    EXPECT_NE(::fcntl(number, F_GETFD), -1);
  }
  EXPECT_EQ(::fcntl(number, F_GETFD), -1);
}

TEST(Fd, ClosingKeepsErrno) {
  Fd invalid(1'000'000);
  errno = EXDEV;
  invalid.reset();
  EXPECT_EQ(errno, EXDEV);
}

}  // namespace
}  // namespace berth::os
