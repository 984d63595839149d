#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tools/fields.h"
#include "tools/tool_session.h"

namespace berth::tools {

struct MoveFileRequest {
  Bytes from;
  Bytes to;
  std::optional<Revision> expected_revision;

  static const Fields<MoveFileRequest>& fields();
};

struct MoveFileResponse {
  Bytes from;
  Bytes to;
  MoveOutcome::Fidelity fidelity = MoveOutcome::Fidelity::atomic_rename;
  Revision revision;

  static const Fields<MoveFileResponse>& fields();
  bool operator==(const MoveFileResponse&) const = default;
};

/// Move or rename one regular file; never over something that stands there. Missing directories are made. A file that
/// changed since the conversation read it is `revision_mismatch`. Errors besides: those of `FileWrites::move`.
Result<MoveFileResponse> move_file(const Call& call, ToolSession& session, const MoveFileRequest& request);

std::string render(const MoveFileResponse& response);

std::unique_ptr<Tool> move_file_tool();

}  // namespace berth::tools
