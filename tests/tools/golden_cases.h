#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "testing/temp_dir.h"
#include "tools/catalogue.h"

/// What the texts of the golden files answer.
namespace berth::tools {

struct GoldenCase {
  std::string tool;
  std::function<void(const testing::TempDir&)> set_up;
  std::vector<std::string> calls;  ///< arguments; `TOOL {…}` calls another tool, `! NAME TEXT` writes a file meanwhile
  Profile profile = Profile::plain;
};

/// For failures.
void PrintTo(const GoldenCase& one, std::ostream* stream);

/// A few files of every kind.
void small_project(const testing::TempDir& dir);
/// The same, committed.
void small_repository(const testing::TempDir& dir);

const std::vector<GoldenCase>& plain_golden_cases();
const std::vector<GoldenCase>& filesystem_golden_cases();

}  // namespace berth::tools
