#include "surface/mcp/protocol/cursor.h"

#include "base/base64.h"

namespace berth::mcp {

std::string encode_cursor(std::string_view list, std::string_view position) {
  return encode_base64(std::string(list).append(":").append(position));
}

std::optional<std::string> decode_cursor(std::string_view list, std::string_view cursor) {
  const auto text = try_decode_base64(cursor);
  if (!text || !text->starts_with(list) || text->size() <= list.size() || (*text)[list.size()] != ':') {
    return std::nullopt;
  }
  return text->substr(list.size() + 1);
}

}  // namespace berth::mcp
