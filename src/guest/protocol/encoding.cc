#include "guest/protocol/encoding.h"

namespace berth::guest {

void Encoder::number(std::uint64_t value) {
  while (value >= 0x80) {
    byte(static_cast<std::uint8_t>(value | 0x80));
    value >>= 7;
  }
  byte(static_cast<std::uint8_t>(value));
}

std::uint8_t Decoder::byte() {
  if (left_.empty()) {
    fail();
    return 0;
  }
  const auto value = static_cast<std::uint8_t>(left_.front());
  left_.remove_prefix(1);
  return value;
}

std::uint64_t Decoder::number() {
  constexpr int kBits = 64;
  std::uint64_t value = 0;
  for (int shift = 0; shift < kBits; shift += 7) {
    const auto part = byte();
    // One way to write each number: nothing beyond its bits, and no zeros in front.
    if ((shift == kBits - 1 && part > 1) || (part == 0 && shift > 0)) fail();
    if (failed_) return 0;
    value |= static_cast<std::uint64_t>(part & 0x7f) << shift;
    if (part < 0x80) return value;
  }
  fail();
  return 0;
}

BytesView Decoder::bytes() {
  const auto size = number();
  if (size > left_.size()) fail();
  if (failed_) return {};
  const auto found = left_.substr(0, static_cast<std::size_t>(size));
  left_.remove_prefix(found.size());
  return found;
}

std::size_t Decoder::count() {
  const auto items = number();
  if (items > left_.size()) fail();
  return failed_ ? 0 : static_cast<std::size_t>(items);
}

Path Codec<Path>::get(Decoder& from) {
  const auto text = from.bytes();
  if (from.failed()) return {};
  auto path = parse_path(text, {});
  if (path && path->text() == text) return std::move(path).value();
  from.fail();
  return {};
}

ErrorCode Codec<ErrorCode>::get(Decoder& from) {
  const auto code = try_error_code(from.bytes());
  if (!code) from.fail();
  return code.value_or(ErrorCode::internal);
}

}  // namespace berth::guest
