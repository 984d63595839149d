#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tools/fields.h"
#include "tools/tool_session.h"

namespace berth::tools {

struct DeleteFileRequest {
  Bytes path;
  std::optional<Revision> expected_revision;

  static const Fields<DeleteFileRequest>& fields();
};

struct DeleteFileResponse {
  Bytes path;
  FileKind kind = FileKind::file;  ///< of what stood there

  static const Fields<DeleteFileResponse>& fields();
  bool operator==(const DeleteFileResponse&) const = default;
};

/// Remove one file, link or special file; a link is removed itself. `not_found` when nothing stands there,
/// `is_a_directory` for a directory, `revision_mismatch` for a file that changed since the conversation read it.
Result<DeleteFileResponse> delete_file(const Call& call, ToolSession& session, const DeleteFileRequest& request);

std::string render(const DeleteFileResponse& response);

std::unique_ptr<Tool> delete_file_tool();

}  // namespace berth::tools
