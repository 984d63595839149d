#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace berth::mcp {

/// Cursors of paginated lists: opaque to clients, and good for the list that gave them out only. They hold all there
/// is to know, so they survive the conversation.
std::string encode_cursor(std::string_view list, std::string_view position);

/// The position; nothing when the cursor is not one of this list.
std::optional<std::string> decode_cursor(std::string_view list, std::string_view cursor);

}  // namespace berth::mcp
