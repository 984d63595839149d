#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "path/path.h"

namespace berth::testing {

/// Read a path that a test wrote; ends the program when it is none.
inline Path path_of(std::string_view text) { return parse_path(text, {}).value(); }

/// Paths as text, for comparisons that print well.
inline std::vector<std::string> texts(const std::vector<Path>& paths) {
  std::vector<std::string> found;
  for (const Path& path : paths) found.push_back(path.text());
  return found;
}

}  // namespace berth::testing
