#pragma once

#include <cstddef>

#include "base/call.h"

namespace berth::state {

/// Looks at a call every so often while work goes on that waits for nothing, so that a large document does not outlast
/// the call (C-VAL-2). One thread.
class CallWatch {
 public:
  /// Some hundred microseconds of work.
  static constexpr std::size_t kLookBytes = 256 * 1024;

  /// The call must outlive it.
  explicit CallWatch(const Call& call) noexcept : call_(call) {}

  /// Note that so many bytes were worked on.
  Result<void> spend(std::size_t bytes) {
    spent_ += bytes;
    if (spent_ < kLookBytes) return {};
    spent_ = 0;
    return call_.check();
  }

 private:
  const Call& call_;
  std::size_t spent_ = 0;
};

}  // namespace berth::state
