#pragma once

#include <cstdint>

namespace berth::bench {

/// Start a new peak of resident memory. Returns what is resident now, in bytes.
std::int64_t reset_peak();

/// The highest resident memory since `reset_peak`, in bytes.
std::int64_t peak();

}  // namespace berth::bench
