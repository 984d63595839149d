#pragma once

#include "base/result.h"
#include "surface/cli/json_internal.h"
#include "workspace/workspace.h"

namespace berth::cli {

/// Read a patch in its operations form:
///
///     [{"create": {"path", "content", "git_mode"}},
///      {"update": {"path", "edits", "git_mode", "if_revision"}},
///      {"delete": {"path", "if_revision"}},
///      {"move":   {"from", "to", "edits", "git_mode", "if_revision"}},
///      {"copy":   {"from", "to", "edits", "git_mode", "if_revision"}}]
///
/// `edits`, `git_mode` (0644 or 0755) and `if_revision` may be left out, but an update needs one of the first two.
/// Names and content that are not UTF-8 come as base64 under `path_b64`, `from_b64`, `to_b64`, `content_b64`. An
/// unknown key or operation is `invalid_argument`; errors say which operation, from 0.
Result<Patch> operations_from_json(const Workspace& workspace, const Json& list);

}  // namespace berth::cli
