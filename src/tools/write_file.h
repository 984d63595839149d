#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tools/fields.h"
#include "tools/tool_session.h"

namespace berth::tools {

struct WriteFileRequest {
  enum class IfExists { overwrite, refuse };

  Bytes path;
  Bytes content;
  IfExists if_exists = IfExists::overwrite;
  std::optional<Revision> expected_revision;
  std::optional<bool> executable;

  static const Fields<WriteFileRequest>& fields();
};

std::span<const EnumName<WriteFileRequest::IfExists>> enum_names(WriteFileRequest::IfExists);

struct WriteFileResponse {
  Bytes path;
  bool created = false;
  std::int64_t bytes = 0;
  std::int64_t lines = 0;
  Revision revision;
  std::optional<Revision> previous_revision;
  ChangeToken token;

  static const Fields<WriteFileResponse>& fields();
  bool operator==(const WriteFileResponse&) const = default;
};

/// Write a whole file, its parents made. A file that the conversation has read, and that changed since, is not
/// overwritten: `revision_mismatch`. What was written counts as read. Errors besides: those of `FileWrites::write`.
Result<WriteFileResponse> write_file(const Call& call, ToolSession& session, const WriteFileRequest& request);
/// The same for a caller that asked for permission already.
Result<WriteFileResponse> permitted_write_file(const Call& call, ToolSession& session, const WriteFileRequest& request);

std::string render(const WriteFileResponse& response);

std::unique_ptr<Tool> write_file_tool();

}  // namespace berth::tools
