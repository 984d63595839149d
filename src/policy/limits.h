#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "workspace/backend.h"

namespace berth {

/// What one call may cost; absent: no limit beside the backend's own.
struct LimitPolicy {
  std::optional<std::int64_t> max_read_bytes;   ///< of one page; a longer read is a truncated page, an edit `too_large`
  std::optional<std::int64_t> max_write_bytes;  ///< of one file's content, or of input for a job; more is `too_large`
  std::optional<std::int64_t> max_list_entries;    ///< a page of `list` is cut there; a longer directory is `too_large`
  std::optional<std::int64_t> max_search_results;  ///< records in a page
  std::optional<std::int64_t> max_search_bytes;    ///< text in a page
  std::optional<std::chrono::milliseconds> max_command_time;  ///< also the timeout of a command or job without one
  std::optional<std::int64_t>
      max_output_bytes;  ///< of a command over both streams, and of what is kept of each; of a page of a job's output

  bool operator==(const LimitPolicy&) const = default;
};

/// Bound what calls ask for. Where the contract has a page, a stop or a timeout, the smaller of the two bounds holds
/// and the result says it was cut; elsewhere the call is `too_large` with the option's name in the field `limit` and
/// its value in `max`. `invalid_argument` for a limit that is not greater than 0.
Result<std::unique_ptr<Backend>> make_limited(std::unique_ptr<Backend> inner, const LimitPolicy& policy);

}  // namespace berth
