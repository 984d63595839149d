#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/fields.h"
#include "tools/tool_session.h"

namespace berth::tools {

struct ListFilesRequest {
  std::string pattern = "**/*";
  std::optional<std::int64_t> limit;  ///< absent or larger: as the session says
  std::string cursor;                 ///< from the page before
  bool hidden = true;
  bool ignored = true;

  static const Fields<ListFilesRequest>& fields();
};

struct GlobRequest {
  std::string pattern;
  Bytes path = ".";
  std::optional<std::int64_t> limit;
  std::string cursor;
  bool hidden = false;
  bool ignored = false;

  static const Fields<GlobRequest>& fields();
};

struct ListedFile {
  Path path;

  static const Fields<ListedFile>& fields();
  bool operator==(const ListedFile&) const = default;
};

/// A page of files, as `ListPage`.
struct ListFilesResponse {
  std::vector<ListedFile> files;  ///< relative to the workspace, sorted by bytes
  std::int64_t total = 0;
  bool truncated = false;
  std::optional<std::string> cursor;  ///< when truncated
  bool complete = true;
  std::vector<Unreadable> unreadable;

  static const Fields<ListFilesResponse>& fields();
  bool operator==(const ListFilesResponse&) const = default;
};

/// List every file that a pattern matches as a whole (C-LIST-1).
Result<ListFilesResponse> list_files(const Call& call, ToolSession& session, const ListFilesRequest& request);

/// Find files by name below a directory, as people write globs (C-LIST-2).
Result<ListFilesResponse> glob(const Call& call, ToolSession& session, const GlobRequest& request);

std::string render(const ListFilesResponse& response);

/// A line for each of the first few that could not be looked at, and how many more there are; empty when there are
/// none.
std::string unreadable_note(const std::vector<Unreadable>& unreadable);

std::unique_ptr<Tool> list_files_tool();
std::unique_ptr<Tool> glob_tool();

}  // namespace berth::tools
