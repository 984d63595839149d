#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/fields.h"
#include "tools/tool_session.h"

namespace berth::tools {

struct ApplyPatchRequest {
  Bytes patch;
  bool dry_run = false;

  static const Fields<ApplyPatchRequest>& fields();
};

struct ApplyPatchResponse {
  bool applied = false;
  std::vector<PatchedFile> files;  ///< by path

  static const Fields<ApplyPatchResponse>& fields();
  bool operator==(const ApplyPatchResponse&) const = default;
};

/// Apply a unified diff or a `*** Begin Patch`, all files or none (C-PATCH-1). A file that changed since the
/// conversation read it is `revision_mismatch`, and nothing is done. What was written counts as read. Errors besides:
/// those of `Workspace::apply_patch`.
Result<ApplyPatchResponse> apply_patch(const Call& call, ToolSession& session, const ApplyPatchRequest& request);

std::string render(const ApplyPatchResponse& response);

std::unique_ptr<Tool> apply_patch_tool();

}  // namespace berth::tools
