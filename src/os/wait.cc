#include "os/wait.h"

#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <optional>
#include <vector>

namespace berth::os {
namespace {

using std::chrono::nanoseconds;

/// How long a stop may go unseen when no descriptor was left to wake poll with.
constexpr nanoseconds kBlindSlice = std::chrono::milliseconds(10);
constexpr std::size_t kInline = 8;

timespec to_timespec(nanoseconds duration) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(duration);
  return {static_cast<time_t>(seconds.count()), static_cast<long>((duration - seconds).count())};
}

int poll_once(std::span<pollfd> fds, const Deadline& deadline, bool blind) {
  auto timeout = deadline.remaining();
  if (blind) timeout = std::min(timeout, kBlindSlice);
  const bool for_ever = deadline.is_never() && !blind;
  const timespec limit = to_timespec(timeout);
  return ::ppoll(fds.data(), fds.size(), for_ever ? nullptr : &limit, nullptr);
}

Error cancelled() { return make_error(ErrorCode::cancelled, "the call was cancelled"); }
Error timed_out() { return make_error(ErrorCode::timed_out, "the call's deadline passed"); }

}  // namespace

struct Wakeup::State {
  explicit State(std::stop_token token)
      : stop(std::move(token)), event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), on_stop(stop, Raise{event.get()}) {}

  struct Raise {
    int event;
    void operator()() const noexcept {
      if (event >= 0) ::eventfd_write(event, 1);
    }
  };

  std::stop_token stop;
  Fd event;
  std::stop_callback<Raise> on_stop;
};

Wakeup::Wakeup(std::stop_token stop) {
  if (stop.stop_possible()) state_ = std::make_unique<State>(std::move(stop));
}

Wakeup::~Wakeup() = default;

int Wakeup::fd() const noexcept { return state_ ? state_->event.get() : -1; }

bool Wakeup::stopped() const noexcept { return state_ && state_->stop.stop_requested(); }

bool Wakeup::blind() const noexcept { return state_ && !state_->event; }

Result<int> poll_fds(std::span<pollfd> fds, const Deadline& deadline, const Wakeup& wakeup) {
  std::array<pollfd, kInline> few;
  std::vector<pollfd> many;
  std::span<pollfd> all;
  if (fds.size() < kInline) {
    all = std::span(few).first(fds.size() + 1);
  } else {
    many.resize(fds.size() + 1);
    all = many;
  }
  std::ranges::copy(fds, all.begin());
  all.back() = {wakeup.fd(), POLLIN, 0};

  while (true) {
    if (wakeup.stopped()) return cancelled();
    if (deadline.passed()) return timed_out();
    const int ready = poll_once(all, deadline, wakeup.blind());
    if (ready < 0 && errno != EINTR) return errno_error(errno, "wait");
    if (ready <= 0) continue;
    if (all.back().revents != 0) return cancelled();
    std::ranges::copy(all.first(fds.size()), fds.begin());
    return ready;
  }
}

Result<void> pause(const Call& call, nanoseconds duration) {
  const auto end = Deadline::after(duration);
  const Wakeup wakeup(call.stop);
  const auto waited = poll_fds({}, call.deadline.sooner(end), wakeup);
  if (waited.error().code != ErrorCode::timed_out) return waited.error();
  if (call.deadline.when() <= end.when() && !call.deadline.is_never()) return waited.error();
  return {};
}

}  // namespace berth::os
