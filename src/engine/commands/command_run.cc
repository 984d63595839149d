#include "engine/commands/command_run.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "engine/commands/run_payload.h"
#include "os/wait.h"

namespace berth::engine {
namespace {

using std::chrono::nanoseconds;

constexpr std::size_t kReadBytes = 64 * 1024;
/// What a call may spend after its deadline, less what returning costs (C-VAL-2 allows 50 ms).
constexpr std::chrono::milliseconds kAfterDeadline{40};
/// Beyond the keeper's own patience.
constexpr std::chrono::milliseconds kAnswerTime{1000};
constexpr nanoseconds kKillPatience{wire::kKillPatienceNs};
constexpr nanoseconds kKillLimit{wire::kKillLimitNs};

Result<void> make_pipe(os::Fd& ours, os::Fd& theirs) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return errno_error(errno, "make an output pipe");
  ours.reset(ends[0]);
  theirs.reset(ends[1]);
  // Only our end: the two ends of a pipe have their own status flags.
  if (::fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) return errno_error(errno, "make an output pipe");
  return {};
}

Deadline deadline_of(std::optional<std::chrono::milliseconds> timeout) {
  // Longer ones do not fit in nanoseconds.
  constexpr std::chrono::hours kLongest{100 * 365 * 24};
  return timeout && *timeout < kLongest ? Deadline::after(*timeout) : Deadline::never();
}

}  // namespace

Result<CommandOutcome> CommandRun::run(const StringBlock& environment, os::Fd directory) {
  BERTH_CHECK(start(environment, std::move(directory)));
  BERTH_CHECK(watch());
  return finish();
}

Result<void> CommandRun::start(const StringBlock& environment, os::Fd directory) {
  BERTH_TRY(const RunPayload payload, make_run_payload(spec_, environment));
  Bytes message(reinterpret_cast<const char*>(&payload.request), sizeof payload.request);
  message += payload.inline_bytes;

  os::Fd out;
  os::Fd err;
  BERTH_CHECK(make_pipe(out_, out));
  BERTH_CHECK(make_pipe(err_, err));
  BERTH_TRY(stdin_, StdinFeed::open(spec_.stdin_bytes ? &*spec_.stdin_bytes : nullptr));

  const std::array<int, wire::kRunDescriptors> descriptors = {stdin_.command_end().get(), out.get(), err.get(),
                                                              directory.get(), payload.file.get()};
  const auto count = payload.file ? descriptors.size() : descriptors.size() - 1;
  BERTH_CHECK(call_.check());
  started_ = Clock::now();
  BERTH_TRY(keeper_, supervisor_.start(message, std::span(descriptors).first(count)));
  take_by_ = Deadline::after(start_patience_);
  stdin_.command_end().reset();
  return {};
}

Result<void> CommandRun::watch() {
  const os::Wakeup wakeup(call_.stop);
  const os::Wakeup deaf{std::stop_token{}};
  const auto limit = call_.deadline.sooner(deadline_of(spec_.timeout));
  while (!report_ && !broken_) {
    std::array<pollfd, 4> waits = {{{keeper_.socket.get(), POLLIN, 0},
                                    {out_.get(), POLLIN, 0},
                                    {err_.get(), POLLIN, 0},
                                    {stdin_.fd(), POLLOUT, 0}}};
    const auto ready = os::poll_fds(waits, ending_ ? answer_by_ : limit.sooner(take_by_), ending_ ? deaf : wakeup);
    if (!ready) {
      if (ready.error().code == ErrorCode::timed_out && !ending_ && !limit.passed()) {
        BERTH_CHECK(check_taken());
        continue;
      }
      if (ready.error().code == ErrorCode::io) return ready.error();
      if (ending_) return {};
      begin_end(ready.error().code == ErrorCode::cancelled ? Kind::cancelled : Kind::timed_out);
      continue;
    }
    if (waits[0].revents != 0) receive_report();
    if (waits[1].revents != 0) read_some(Stream::out);
    if (waits[2].revents != 0) read_some(Stream::err);
    if (waits[3].revents != 0) stdin_.write_some();
    if (capture_.over_limit() && !ending_ && !report_) begin_end(Kind::output_limited);
  }
  return {};
}

/// A keeper that is traced or stopped by somebody never takes its request. Nothing has run then.
Result<void> CommandRun::check_taken() {
  take_by_ = Deadline::never();
  if (!SupervisorClient::is_untaken(keeper_)) return {};
  auto patience = Deadline::after(kAnswerTime);
  if (!call_.deadline.is_never()) patience = patience.sooner(Deadline::at(call_.deadline.when() + kAfterDeadline));
  supervisor_.abandon(std::move(keeper_), patience);
  return make_error(ErrorCode::unavailable, "the process that starts commands does not answer");
}

void CommandRun::begin_end(Kind why) {
  ending_ = why;
  const auto grace = std::min<nanoseconds>(limits::kTermGrace, call_.deadline.remaining());
  wire::EndRequest request;
  request.scope = spec_.end_scope == EndScope::group ? wire::Scope::group : wire::Scope::tree;
  request.grace_ns = static_cast<std::uint64_t>(grace.count());
  send_with_descriptors(keeper_.socket.get(), {reinterpret_cast<const char*>(&request), sizeof request}, {});
  answer_by_ = Deadline::after(grace + kKillLimit + kAnswerTime);
  if (!call_.deadline.is_never()) answer_by_ = answer_by_.sooner(Deadline::at(call_.deadline.when() + kAfterDeadline));
}

void CommandRun::receive_report() {
  wire::Report report;
  const ssize_t got = ::recv(keeper_.socket.get(), &report, sizeof report, MSG_DONTWAIT);
  if (got == sizeof report) {
    report_ = report;
  } else if (got >= 0 || (errno != EAGAIN && errno != EINTR)) {
    broken_ = true;
  }
}

/// Read once; how many bytes there were.
std::int64_t CommandRun::read_some(Stream stream) {
  thread_local const auto kBuffer = std::make_unique<char[]>(kReadBytes);
  os::Fd& from = pipe(stream);
  ssize_t got = 0;
  do {
    got = ::read(from.get(), kBuffer.get(), kReadBytes);
  } while (got < 0 && errno == EINTR);
  if (got > 0) {
    const BytesView bytes(kBuffer.get(), static_cast<std::size_t>(got));
    capture_.add(stream, bytes);
    if (sink_ != nullptr) sink_->write(stream, bytes);
    return got;
  }
  if (got == 0 || errno != EAGAIN) from.reset();
  return 0;
}

/// Take what is in the pipe now. Everything the command wrote is; a process it left behind may write for ever.
void CommandRun::drain(Stream stream) {
  int waiting = 0;
  if (!pipe(stream) || ::ioctl(pipe(stream).get(), FIONREAD, &waiting) != 0) return;
  for (std::int64_t left = waiting; left > 0;) {
    const auto got = read_some(stream);
    if (got == 0) return;
    left -= got;
  }
}

Result<CommandOutcome> CommandRun::finish() {
  if (report_ && report_->what == wire::Report::What::no_process) {
    supervisor_.give_back(std::move(keeper_));
    return make_error(ErrorCode::unavailable, "no process could be made for the command")
        .with("errno", std::int64_t{report_->error});
  }
  if (report_ && report_->what == wire::Report::What::no_directory) {
    supervisor_.give_back(std::move(keeper_));
    return errno_error(report_->error, "enter the working directory");
  }

  CommandOutcome outcome;
  if (report_) {
    outcome.duration = nanoseconds(report_->duration_ns);
    outcome.survivors = report_->survivors;
    judge(outcome);
  } else {
    outcome.duration = Clock::now() - started_;
    judge_without_report(outcome);
  }
  drain(Stream::out);
  drain(Stream::err);
  // Also when the command was quicker than its end: what was kept is not all it wrote.
  if (capture_.over_limit() && (outcome.kind == Kind::exited || outcome.kind == Kind::signaled)) {
    outcome.kind = Kind::output_limited;
    outcome.exit_code = 0;
    outcome.signal = 0;
  }
  part_with_keeper();
  outcome.out = capture_.take(Stream::out);
  outcome.err = capture_.take(Stream::err);
  return outcome;
}

void CommandRun::judge(CommandOutcome& outcome) const {
  const int status = report_->wait_status;
  if (report_->what == wire::Report::What::was_ended) {
    outcome.kind = *ending_;
  } else if (WIFEXITED(status)) {
    outcome.kind = Kind::exited;
    outcome.exit_code = WEXITSTATUS(status);
  } else {
    outcome.kind = Kind::signaled;
    outcome.signal = WTERMSIG(status);
  }
}

void CommandRun::judge_without_report(CommandOutcome& outcome) {
  if (!broken_) {
    // The keeper goes on without us; only the proof is missing.
    outcome.kind = *ending_;
    outcome.reason = "the call ended before the end of every process was confirmed";
    outcome.survivors = 1;
    return;
  }
  outcome.kind = Kind::lost;
  outcome.reason = "the process that watched the command was killed";
  auto patience = Deadline::after(kKillPatience + kAnswerTime);
  if (!call_.deadline.is_never()) patience = patience.sooner(Deadline::at(call_.deadline.when() + kAfterDeadline));
  if (!supervisor_.settle(keeper_, patience)) {
    outcome.reason += ", and the end of what it watched was not confirmed";
    outcome.survivors = 1;
  }
}

/// A keeper whose command left nothing behind serves the next one. Else it stays with what is left and reads its
/// output from now on.
void CommandRun::part_with_keeper() {
  if (!report_) return;
  if (report_->children_remain == 0) {
    supervisor_.give_back(std::move(keeper_));
    return;
  }
  const wire::ReleaseRequest request;
  std::array<int, 2> left{};
  std::size_t count = 0;
  for (const os::Fd* open : {&out_, &err_}) {
    if (*open) left[count++] = open->get();
  }
  send_with_descriptors(keeper_.socket.get(), {reinterpret_cast<const char*>(&request), sizeof request},
                        std::span(left).first(count));
}

}  // namespace berth::engine
