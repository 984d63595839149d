// A guest that is killed, stopped or spoken to by somebody who does not know how.

#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <fstream>

#include "guest/client/guest_fixture.h"

namespace berth::guest {
namespace {

using testing::FailsWith;
using testing::IsOk;
using namespace std::chrono_literals;

/// The real program, over two pipes.
class GuestProgram : public ::testing::Test {
 protected:
  void SetUp() override {
    ::setenv("XDG_STATE_HOME", state_.path().c_str(), 1);
    auto started = start_guest(BERTH_GUEST_PROGRAM);
    ASSERT_THAT(started, IsOk());
    pid_ = started->pid;
    auto opened = open_backend(soon(), std::move(started->channel), on(dir_.path()));
    ASSERT_THAT(opened, IsOk());
    backend_ = std::move(opened).value();
  }
  void TearDown() override { ::kill(pid_, SIGCONT); }

  /// A command that has begun, and waits.
  void begin_command(const Call& call, std::vector<std::jthread>& threads,
                     std::function<void(const Result<CommandOutcome>&)> then) {
    ASSERT_EQ(::mkfifo(dir_.at("begun").c_str(), 0600), 0);
    threads.emplace_back([this, call, then = std::move(then)] {
      CommandSpec spec;
      spec.script = "echo $$ > pid; echo > begun; exec sleep 600";
      then(backend_->commands()->run(call, spec, nullptr));
    });
    std::ifstream begun(dir_.at("begun"));
    std::string line;
    std::getline(begun, line);
  }

  /// Whether the command that began has ended, within a while.
  bool command_has_ended() const {
    const auto pid = static_cast<pid_t>(std::stol(dir_.read("pid")));
    for (int i = 0; i < 5000; ++i) {
      if (::kill(pid, 0) != 0 && errno == ESRCH) return true;
      ::poll(nullptr, 0, 2);
    }
    return false;
  }

  testing::TempDir dir_;
  testing::TempDir state_;
  pid_t pid_ = -1;
  std::unique_ptr<Backend> backend_;
};

TEST_F(GuestProgram, IsSmallerThanTwoMebibytes) {
  struct stat facts {};
  ASSERT_EQ(::stat(BERTH_GUEST_PROGRAM, &facts), 0);
  EXPECT_LT(facts.st_size, 2 * 1024 * 1024);
}

TEST_F(GuestProgram, KilledIsEnvironmentGoneForEveryCallAtWorkAndEndsItsCommands) {
  std::vector<std::jthread> threads;
  begin_command(soon(), threads,
                [](const auto& outcome) { EXPECT_THAT(outcome, FailsWith(ErrorCode::environment_gone)); });
  const auto begin = Clock::now();
  ASSERT_EQ(::kill(pid_, SIGKILL), 0);
  threads.clear();
  EXPECT_LT(Clock::now() - begin, kSlack);
  EXPECT_THAT(backend_->reads()->read(soon(), path("f"), {}), FailsWith(ErrorCode::environment_gone));
  EXPECT_THAT(backend_->writes()->write(soon(), path("f"), "x", {}), FailsWith(ErrorCode::environment_gone));
  EXPECT_TRUE(command_has_ended());
}

TEST_F(GuestProgram, StoppedIsTimedOutAtTheDeadlineAndServesOnLater) {
  ASSERT_EQ(::kill(pid_, SIGSTOP), 0);
  int status = 0;
  ASSERT_EQ(::waitpid(pid_, &status, WUNTRACED), pid_);
  ASSERT_TRUE(WIFSTOPPED(status));
  const auto begin = Clock::now();
  EXPECT_THAT(backend_->reads()->read(within(100ms), path("f"), {}), FailsWith(ErrorCode::timed_out));
  EXPECT_THAT(backend_->writes()->write(within(100ms), path("f"), Bytes(4'000'000, 'x'), {}),
              FailsWith(ErrorCode::timed_out));
  EXPECT_LT(Clock::now() - begin, 300ms + kSlack);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THAT(backend_->reads()->read({Deadline::never(), stop.get_token(), {}}, path("f"), {}),
              FailsWith(ErrorCode::cancelled));
  ASSERT_EQ(::kill(pid_, SIGCONT), 0);
  EXPECT_THAT(backend_->writes()->write(soon(), path("g"), "x", {}), IsOk());
  EXPECT_EQ(backend_->reads()->read(soon(), path("g"), {})->content, "x");
  EXPECT_THAT(backend_->reads()->read(soon(), path("f"), {}), FailsWith(ErrorCode::not_found))
      << "a write that was given up before all of it was sent never happens";
}

TEST_F(GuestProgram, EndsItselfAndItsCommandsWhenItsStreamEnds) {
  std::vector<std::jthread> threads;
  std::stop_source stop;
  begin_command({Deadline::never(), stop.get_token(), {}}, threads, [](const auto&) {});
  stop.request_stop();
  threads.clear();
  backend_.reset();
  EXPECT_TRUE(command_has_ended());
  EXPECT_NE(::kill(pid_, 0), 0) << "it has ended and was collected";
}

TEST_F(GuestProgram, LeavesJobsRunningWhenItEnds) {
  JobSpec spec;
  spec.command.script = "read line; echo $line";
  const auto started = backend_->jobs()->start(soon(), spec);
  ASSERT_THAT(started, IsOk());
  backend_.reset();
  auto again = start_guest(BERTH_GUEST_PROGRAM);
  ASSERT_THAT(again, IsOk());
  pid_ = again->pid;
  auto opened = open_backend(soon(), std::move(again->channel), on(dir_.path()));
  ASSERT_THAT(opened, IsOk());
  backend_ = std::move(opened).value();
  EXPECT_THAT(backend_->jobs()->write_stdin(soon(), started->id, "still here\n", StdinEnd::close), IsOk());
  ASSERT_THAT(backend_->jobs()->wait(soon(), started->id, {}), IsOk());
  EXPECT_EQ(backend_->jobs()->read(soon(), started->id, {})->content, "still here\n");
}

/// What the program says and how it ends when it is fed bytes.
int status_after(BytesView bytes) {
  auto started = start_guest(BERTH_GUEST_PROGRAM);
  EXPECT_THAT(started, IsOk());
  EXPECT_EQ(::write(started->channel.out.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  started->channel.out.reset();
  int status = 0;
  EXPECT_EQ(::waitpid(started->pid, &status, 0), started->pid);
  return status;
}

TEST(GuestInput, ThatIsNoProtocolEndsIt) {
  EXPECT_EQ(WEXITSTATUS(status_after("GET / HTTP/1.1\r\nHost: x\r\n\r\n")), 1);
  EXPECT_EQ(WEXITSTATUS(status_after(greeting() + greeting())), 1);
  EXPECT_EQ(WEXITSTATUS(status_after(greeting() + "trunc")), 1);
  EXPECT_EQ(status_after(greeting()), 0);
  EXPECT_EQ(status_after(""), 0);
}

}  // namespace
}  // namespace berth::guest
