#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace berth::state {

using Timestamp = std::chrono::sys_time<std::chrono::microseconds>;

/// Write a time as Python's `datetime.isoformat()` does for UTC: `2026-01-31T09:05:00.000120+00:00`; whole seconds
/// have no fraction.
std::string format_timestamp(Timestamp time);

/// Read an ISO 8601 date and time with an offset or `Z` (or none: UTC). Nothing when it is not one.
std::optional<Timestamp> try_parse_timestamp(std::string_view text);

}  // namespace berth::state
