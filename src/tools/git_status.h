#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/git_fields.h"
#include "tools/tool_session.h"

namespace berth::tools {

struct GitStatusRequest {
  std::int64_t offset = 0;            ///< files to pass over
  std::optional<std::int64_t> limit;  ///< absent or larger: as the session says

  static const Fields<GitStatusRequest>& fields();
};

struct GitStatusResponse {
  std::optional<std::string>
      baseline;  ///< the commit that HEAD named at the first git call of the conversation; nothing: none yet
  std::vector<git::StatusEntry> files;  ///< by path
  std::int64_t total = 0;
  bool truncated = false;
  std::optional<std::int64_t> next_offset;

  static const Fields<GitStatusResponse>& fields();
  bool operator==(const GitStatusResponse&) const = default;
};

/// List what differs from the baseline. Errors: those of `GitRepository::status_paths`.
Result<GitStatusResponse> git_status(const Call& call, ToolSession& session, const GitStatusRequest& request);

std::string render(const GitStatusResponse& response);

std::unique_ptr<Tool> git_status_tool();

}  // namespace berth::tools
