#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/git_fields.h"
#include "tools/tool_session.h"

namespace berth::tools {

struct GitDiffRequest {
  bool summary = false;                   ///< the files and their numbers of lines, without the text
  std::optional<std::int64_t> max_bytes;  ///< of text; absent or larger: as the session says

  static const Fields<GitDiffRequest>& fields();
};

struct GitDiffResponse {
  std::optional<std::string> baseline;  ///< as in `GitStatusResponse`
  std::vector<git::FileChange> files;   ///< by path, at most `ToolOptions::max_list_entries`
  std::optional<Bytes> text;            ///< git's unified format; absent in a summary
  bool truncated = false;
  std::int64_t left_out = 0;             ///< changed files that are not in `files`
  std::vector<git::NotShown> not_shown;  ///< by path, the first hundred
  std::int64_t not_shown_total = 0;

  static const Fields<GitDiffResponse>& fields();
  bool operator==(const GitDiffResponse&) const = default;
};

/// Compare the work tree with the baseline (C-GIT-2). Errors: those of `GitRepository::diff`.
Result<GitDiffResponse> git_diff(const Call& call, ToolSession& session, const GitDiffRequest& request);

std::string render(const GitDiffResponse& response);

std::unique_ptr<Tool> git_diff_tool();

}  // namespace berth::tools
