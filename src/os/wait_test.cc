#include "os/wait.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "testing/matchers.h"
#include "testing/open_files.h"

namespace berth::os {
namespace {

using std::chrono::milliseconds;
using testing::FailsWith;
using testing::IsOk;

/// How late a return may be here: a busy machine may give the thread no time for long.
constexpr milliseconds kLate(2000);

struct Pipe {
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0) {
      read.reset(ends[0]);
      write.reset(ends[1]);
    }
  }
  pollfd readable() const { return {read.get(), POLLIN, 0}; }
  void fill() const { EXPECT_EQ(::write(write.get(), "x", 1), 1); }

  Fd read;
  Fd write;
};

/// A timer that interrupts every system call of this thread's process each 200 µs.
class SignalStorm {
 public:
  SignalStorm() {
    struct sigaction action {};
    action.sa_handler = [](int) { seen = seen + 1; };
    ::sigaction(SIGALRM, &action, &old_);
    const itimerval often{{0, 200}, {0, 200}};
    ::setitimer(ITIMER_REAL, &often, nullptr);
  }
  ~SignalStorm() {
    const itimerval never{};
    ::setitimer(ITIMER_REAL, &never, nullptr);
    ::sigaction(SIGALRM, &old_, nullptr);
  }
  static inline volatile std::sig_atomic_t seen = 0;

 private:
  struct sigaction old_ {};
};

TEST(PollFds, SaysHowManyAreReady) {
  const Pipe a;
  const Pipe b;
  std::vector<pollfd> fds{a.readable(), b.readable()};
  b.fill();
  EXPECT_EQ(poll_fds(fds, Deadline::never(), Wakeup({})).value(), 1);
  EXPECT_EQ(fds[0].revents, 0);
  EXPECT_EQ(fds[1].revents, POLLIN);
}

TEST(PollFds, TakesAnyNumberOfDescriptors) {
  for (const std::size_t count : {1U, 7U, 8U, 9U, 100U}) {
    const Pipe pipe;
    pipe.fill();
    std::vector<pollfd> fds(count, pipe.readable());
    const std::stop_source source;
    EXPECT_EQ(poll_fds(fds, Deadline::never(), Wakeup(source.get_token())).value(), static_cast<int>(count));
    EXPECT_EQ(fds.back().revents, POLLIN);
  }
}

TEST(PollFds, IgnoresNegativeDescriptorsAndReportsAHangup) {
  Pipe pipe;
  pipe.write.reset();
  std::vector<pollfd> fds{{-1, POLLIN, 0}, pipe.readable()};
  EXPECT_EQ(poll_fds(fds, Deadline::never(), Wakeup({})).value(), 1);
  EXPECT_EQ(fds[1].revents, POLLHUP);
}

TEST(PollFds, EndsAtTheDeadline) {
  const Pipe pipe;
  std::vector<pollfd> fds{pipe.readable()};
  const auto deadline = Deadline::after(milliseconds(20));
  EXPECT_THAT(poll_fds(fds, deadline, Wakeup({})), FailsWith(ErrorCode::timed_out));
  EXPECT_TRUE(deadline.passed());
  EXPECT_LT(Clock::now() - deadline.when(), kLate);
}

TEST(PollFds, AStopFromAnotherThreadEndsIt) {
  const Pipe pipe;
  std::vector<pollfd> fds{pipe.readable()};
  std::stop_source source;
  const Wakeup wakeup(source.get_token());
  std::jthread stopper([&source] { source.request_stop(); });
  EXPECT_THAT(poll_fds(fds, Deadline::never(), wakeup), FailsWith(ErrorCode::cancelled));
}

TEST(PollFds, ADeadlineThatHasPassedOrAStopWinsOverWhatIsReady) {
  const Pipe pipe;
  pipe.fill();
  std::vector<pollfd> fds{pipe.readable()};
  EXPECT_THAT(poll_fds(fds, Deadline::after({}), Wakeup({})), FailsWith(ErrorCode::timed_out));
  std::stop_source source;
  source.request_stop();
  EXPECT_THAT(poll_fds(fds, Deadline::never(), Wakeup(source.get_token())), FailsWith(ErrorCode::cancelled));
}

TEST(Wakeup, CostsNothingWhenTheTokenCanNeverBeStopped) {
  const auto before = testing::open_files();
  const Wakeup wakeup({});
  EXPECT_EQ(wakeup.fd(), -1);
  EXPECT_EQ(testing::open_files(), before);
}

TEST(Wakeup, StillSeesTheStopWhenNoDescriptorIsLeft) {
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &old), 0);
  const Pipe pipe;
  std::vector<pollfd> fds{pipe.readable()};
  std::stop_source source;
  const rlimit none{0, old.rlim_max};
  // poll(2) counts its descriptors against the limit, so it is lifted again before the wait.
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const Wakeup wakeup(source.get_token());
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &old), 0);
  ASSERT_EQ(wakeup.fd(), -1);
  std::jthread stopper([&source] { source.request_stop(); });
  EXPECT_THAT(poll_fds(fds, Deadline::never(), wakeup), FailsWith(ErrorCode::cancelled));
}

TEST(Pause, LastsAsLongAsAsked) {
  const auto start = Clock::now();
  EXPECT_THAT(pause({}, milliseconds(15)), IsOk());
  EXPECT_GE(Clock::now() - start, milliseconds(15));
  EXPECT_THAT(pause({}, {}), IsOk());
}

TEST(Pause, DoesNotGoPastTheDeadlineOrTheStop) {
  const Call soon{Deadline::after(milliseconds(15)), {}, {}};
  EXPECT_THAT(pause(soon, std::chrono::hours(1)), FailsWith(ErrorCode::timed_out));
  EXPECT_LT(Clock::now() - soon.deadline.when(), kLate);
  EXPECT_THAT(pause(soon, {}), FailsWith(ErrorCode::timed_out));
  std::stop_source source;
  const Call stopped{Deadline::never(), source.get_token(), {}};
  std::jthread stopper([&source] { source.request_stop(); });
  EXPECT_THAT(pause(stopped, std::chrono::hours(1)), FailsWith(ErrorCode::cancelled));
}

TEST(Waiting, AStormOfSignalsChangesNothing) {
  const SignalStorm storm;
  const auto start = Clock::now();
  EXPECT_THAT(pause({}, milliseconds(50)), IsOk());
  EXPECT_GE(Clock::now() - start, milliseconds(50));

  const Pipe pipe;
  std::vector<pollfd> fds{pipe.readable()};
  const auto deadline = Deadline::after(milliseconds(50));
  EXPECT_THAT(poll_fds(fds, deadline, Wakeup({})), FailsWith(ErrorCode::timed_out));
  EXPECT_LT(Clock::now() - deadline.when(), kLate);

  std::jthread writer([&pipe] { pipe.fill(); });
  EXPECT_THAT(poll_fds(fds, Deadline::never(), Wakeup({})), IsOk());
  EXPECT_GT(SignalStorm::seen, 10);
}

}  // namespace
}  // namespace berth::os
