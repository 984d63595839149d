#include "testing/cases.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace berth::testing {

std::string source_path(std::string_view relative) {
  return std::string(BERTH_SOURCE_DIR) + "/" + std::string(relative);
}

std::string read_cases(std::string_view name) {
  const std::string file = source_path("testing/cases/" + std::string(name));
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    std::perror(file.c_str());
    std::abort();
  }
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

}  // namespace berth::testing
