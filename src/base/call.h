#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <stop_token>
#include <string>

#include "base/result.h"

namespace berth {

using Clock = std::chrono::steady_clock;

/// When a call must have returned, on the steady clock. `never()` has no end.
class Deadline {
 public:
  static Deadline never() noexcept { return Deadline(Clock::time_point::max()); }
  static Deadline at(Clock::time_point when) noexcept { return Deadline(when); }
  /// A duration from now; one too long to add becomes `never()`.
  static Deadline after(std::chrono::nanoseconds duration) noexcept;

  bool is_never() const noexcept { return when_ == Clock::time_point::max(); }
  bool passed() const noexcept { return !is_never() && Clock::now() >= when_; }
  Clock::time_point when() const noexcept { return when_; }
  /// Time left, never negative; the maximum when there is no end.
  std::chrono::nanoseconds remaining() const noexcept;
  /// Time left for poll(2): milliseconds rounded up, -1 when there is no end.
  int poll_timeout_ms() const noexcept;
  Deadline sooner(Deadline other) const noexcept { return Deadline(std::min(when_, other.when_)); }

  bool operator==(const Deadline&) const = default;

 private:
  explicit Deadline(Clock::time_point when) noexcept : when_(when) {}

  Clock::time_point when_;
};

/// What travels with every call: until when, who may stop it, and its name in logs.
///
/// Every wait below honours `deadline` and `stop`; a call returns no later than its deadline plus 50 ms.
struct Call {
  Deadline deadline = Deadline::never();
  std::stop_token stop;
  std::string trace_id;

  /// Fail with `cancelled` when stop was requested, with `timed_out` when the deadline has passed.
  Result<void> check() const;

  /// The same call with a deadline that is not later than `other`.
  Call until(Deadline other) const { return Call{deadline.sooner(other), stop, trace_id}; }
};

}  // namespace berth
