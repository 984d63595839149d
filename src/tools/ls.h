#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/fields.h"
#include "tools/tool_session.h"

namespace berth::tools {

struct LsRequest {
  Bytes path = ".";
  std::int64_t offset = 0;            ///< entries to pass over
  std::optional<std::int64_t> limit;  ///< absent or larger: as the session says

  static const Fields<LsRequest>& fields();
};

struct LsEntry {
  Bytes name;
  FileStat stat;

  static const Fields<LsEntry>& fields();
  bool operator==(const LsEntry&) const = default;
};

struct LsResponse {
  Bytes path;
  std::vector<LsEntry> entries;  ///< sorted by bytes, links not followed
  std::int64_t total = 0;
  bool truncated = false;
  std::optional<std::int64_t> next_offset;

  static const Fields<LsResponse>& fields();
  bool operator==(const LsResponse&) const = default;
};

/// List one directory. Errors: those of `FileReads::list_directory`.
Result<LsResponse> ls(const Call& call, ToolSession& session, const LsRequest& request);
/// The same for a caller that asked for permission already.
Result<LsResponse> permitted_ls(const Call& call, ToolSession& session, const LsRequest& request);

std::string render(const LsResponse& response);

/// Whether the entry is a directory or a link that leads to one.
bool leads_to_directory(const LsEntry& entry) noexcept;

/// The size of the regular file that an entry of `directory` is, or that it leads to as a link; nothing where there is
/// none.
std::optional<std::int64_t> file_size_of(const Call& call, ToolSession& session, const Bytes& directory,
                                         const LsEntry& entry);

std::unique_ptr<Tool> ls_tool();

}  // namespace berth::tools
