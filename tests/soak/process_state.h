#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace berth::soak {

/// What a process that leaks would have more of, later than before.
struct ProcessState {
  std::int64_t open_files = 0;
  std::int64_t descendants = 0;  ///< processes whose ancestor this one is, zombies too
  std::int64_t resident_bytes = 0;
};

ProcessState process_state();

/// Names below a directory that look like temporary files of ours, at any depth.
std::vector<std::string> temporary_files(const std::string& directory);

}  // namespace berth::soak
