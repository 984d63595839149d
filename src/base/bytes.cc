#include "base/bytes.h"

#include <cstdint>

namespace berth {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

}  // namespace

// Unicode table 3-7.
std::size_t utf8_length_at(BytesView bytes, std::size_t at) noexcept {
  const auto byte = [&](std::size_t i) -> unsigned {
    return at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0U;
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return follows(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const unsigned second = byte(1);
    if (!follows(1) || !follows(2)) return 0;
    if (lead == 0xE0 && second < 0xA0) return 0;
    if (lead == 0xED && second > 0x9F) return 0;
    return 3;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const unsigned second = byte(1);
    if (!follows(1) || !follows(2) || !follows(3)) return 0;
    if (lead == 0xF0 && second < 0x90) return 0;
    if (lead == 0xF4 && second > 0x8F) return 0;
    return 4;
  }
  return 0;
}

DecodedText decode_utf8(BytesView bytes) {
  DecodedText decoded;
  decoded.text.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t length = utf8_length_at(bytes, at);
    if (length == 0) {
      decoded.text += kReplacement;
      decoded.was_lossy = true;
      ++at;
    } else {
      decoded.text.append(bytes, at, length);
      at += length;
    }
  }
  return decoded;
}

bool is_utf8(BytesView bytes) noexcept {
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t length = utf8_length_at(bytes, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

BytesView utf8_prefix(BytesView bytes, std::size_t max_bytes) noexcept {
  if (bytes.size() <= max_bytes) return bytes;
  // A sequence is at most four bytes, so its lead is at most three before the cut.
  for (std::size_t back = 1; back <= 3 && back <= max_bytes; ++back) {
    const std::size_t lead = max_bytes - back;
    const std::size_t length = utf8_length_at(bytes, lead);
    if (length > back) return bytes.substr(0, lead);
    if (length != 0) break;
  }
  return bytes.substr(0, max_bytes);
}

}  // namespace berth
