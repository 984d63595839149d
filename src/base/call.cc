#include "base/call.h"

#include <algorithm>
#include <limits>

namespace berth {

Deadline Deadline::after(std::chrono::nanoseconds duration) noexcept {
  const auto now = Clock::now();
  if (duration >= Clock::time_point::max() - now) return never();
  return Deadline(now + std::max(duration, std::chrono::nanoseconds::zero()));
}

std::chrono::nanoseconds Deadline::remaining() const noexcept {
  if (is_never()) return std::chrono::nanoseconds::max();
  return std::max(std::chrono::nanoseconds(when_ - Clock::now()), std::chrono::nanoseconds::zero());
}

int Deadline::poll_timeout_ms() const noexcept {
  if (is_never()) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(remaining()).count();
  return static_cast<int>(std::min<long long>(left, std::numeric_limits<int>::max()));
}

Result<void> Call::check() const {
  if (stop.stop_requested()) return make_error(ErrorCode::cancelled, "the call was cancelled");
  if (deadline.passed()) return make_error(ErrorCode::timed_out, "the call's deadline passed");
  return {};
}

}  // namespace berth
