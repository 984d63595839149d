#include "surface/mcp/random_id.h"

#include <sys/random.h>

#include <string_view>

namespace berth::mcp {

std::optional<std::string> random_id() {
  unsigned char bytes[16];
  if (::getrandom(bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes)) return std::nullopt;
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string id;
  for (const auto byte : bytes) {
    id += kDigits[byte >> 4U];
    id += kDigits[byte & 15U];
  }
  return id;
}

}  // namespace berth::mcp
