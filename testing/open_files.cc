#include "testing/open_files.h"

#include <filesystem>
#include <iterator>

namespace berth::testing {

std::size_t open_files() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

}  // namespace berth::testing
