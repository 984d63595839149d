#include "testing/cases.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace berth::testing {

std::string read_cases(std::string_view name) {
  const std::string file = std::string(BERTH_SOURCE_DIR) + "/testing/cases/" + std::string(name);
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    std::perror(file.c_str());
    std::abort();
  }
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

}  // namespace berth::testing
