#pragma once

#include <memory>
#include <vector>

#include "tools/tool.h"

namespace berth::tools {

/// The filesystem profile: the tools of the reference MCP filesystem server, 2026.8.31, with their names, arguments and
/// layouts, and `grep` besides; sentences and descriptions are ours. Absolute paths that lie in the workspace are
/// taken, as that server's clients send them. Every structured answer but that of read_media_file has its text as
/// `content`, as there, and beside it the facts of the operation.
std::vector<std::unique_ptr<Tool>> filesystem_tools();

}  // namespace berth::tools
