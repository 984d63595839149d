#pragma once

#include "tools/tool_session.h"

namespace berth::tools {

/// Refuse what is no text, for profiles whose edits never touched binary files: `invalid_argument`. Errors besides:
/// those of `FileReads::read`.
Result<void> check_is_text(const Call& call, ToolSession& session, const Bytes& path);

}  // namespace berth::tools
