#pragma once

#include "surface/mcp/protocol/json_rpc.h"
#include "tools/tool.h"

/// How tools and their results look on the wire; the same in both eras.
namespace berth::mcp {

/// One entry of `tools/list`.
Json tool_entry(const tools::ToolInfo& info);

/// The result of `tools/call`. A success carries `structuredContent`. A failure is `isError` with the text for models;
/// its structured form is `_meta["berth/error"]`, because clients hold `structuredContent` to the output schema.
Json call_result(tools::ToolResult result);

/// A result that says that the call could not be made at all.
Json failed_call(std::string text);

/// One entry of a result's `content`.
Json text_content(std::string text);

}  // namespace berth::mcp
