#include "testing/golden_file.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "testing/cases.h"

namespace berth::testing {

std::string read_source(std::string_view file) {
  std::ifstream stream(source_path(file), std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

void expect_golden(std::string_view file, std::string_view text) {
  const std::filesystem::path path = source_path(file);
  if (std::getenv("BERTH_UPDATE_GOLDEN") != nullptr) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  EXPECT_TRUE(std::filesystem::exists(path)) << file << " is missing; run this test with BERTH_UPDATE_GOLDEN=1";
  EXPECT_EQ(read_source(file), text) << file;
}

}  // namespace berth::testing
