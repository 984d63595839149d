#pragma once

#include <string>
#include <vector>

#include "tools/catalogue.h"

namespace berth::testing {

/// What one tool is asked through every surface.
struct ToolRow {
  std::string tool;
  /// Arguments; `TOOL {…}` calls another tool before, whose answer is not compared. `JOB` is the id that the last start of a command gave.
  std::vector<std::string> calls;
};

/// A row for each tool of a profile.
const std::vector<ToolRow>& tool_rows(tools::Profile profile);

}  // namespace berth::testing
