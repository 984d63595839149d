#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/catalogue.h"

namespace berth::testing {

/// A way to call tools in a directory.
class Surface {
 public:
  virtual ~Surface() = default;
  /// The structured result: what a success answers, or `{"error": …}`.
  virtual nlohmann::json call(const std::string& tool, const nlohmann::json& arguments) = 0;
};

struct SurfaceKind {
  std::string name;
  std::unique_ptr<Surface> (*open)(const std::string& directory, tools::Profile profile);
};

/// The library, the command line, and the MCP server on its two transports.
const std::vector<SurfaceKind>& surface_kinds();

}  // namespace berth::testing
