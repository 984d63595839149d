#pragma once

#include <cstddef>

namespace berth::testing {

/// How many descriptors this process has open: a test compares before and after.
std::size_t open_files();

}  // namespace berth::testing
