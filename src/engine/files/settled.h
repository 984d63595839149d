#pragma once

#include <sys/stat.h>
#include <time.h>

namespace berth::engine {

/// How long a file must have been left alone before its timestamps prove that its content is final.
///
/// Timestamps alone cannot: a file is stamped when a write begins, so a write that is still going on shows no newer
/// stamp, and before Linux 6.13 two writes in one clock tick (1 to 10 ms) get the same stamp. Git's rule for racy
/// timestamps, with room for long writes: a file that changed less than a second ago, or in the future of this clock
/// (a file server's), is not settled.
inline constexpr time_t kSettleSeconds = 1;

/// The time that file timestamps are compared with. A few nanoseconds.
inline timespec file_clock_now() noexcept {
  timespec now;
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return now;
}

/// Whether a stat, taken at or after `now`, is of a file that was left alone for the settling time.
inline bool is_settled(const struct stat& st, const timespec& now) noexcept {
  const auto older = [&now](const timespec& stamp) {
    return stamp.tv_sec + kSettleSeconds < now.tv_sec ||
           (stamp.tv_sec + kSettleSeconds == now.tv_sec && stamp.tv_nsec < now.tv_nsec);
  };
  return older(st.st_ctim) && older(st.st_mtim);
}

}  // namespace berth::engine
