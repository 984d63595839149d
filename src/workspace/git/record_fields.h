#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <system_error>

#include "base/bytes.h"

/// What the records that git prints are made of.
namespace berth::git {

/// Take what stands before a separator, and the separator; nothing, and nothing is taken, where there is none.
inline std::optional<BytesView> take_field(BytesView& rest, char separator) {
  const auto end = rest.find(separator);
  if (end == BytesView::npos) return std::nullopt;
  const auto field = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return field;
}

/// Read a number that is all of a field.
template <typename Number>
std::optional<Number> try_number(BytesView field, int base) {
  Number value = 0;
  const auto [end, problem] = std::from_chars(field.data(), field.data() + field.size(), value, base);
  if (problem != std::errc{} || end != field.data() + field.size()) return std::nullopt;
  return value;
}

/// Read a mode, which git prints in octal digits.
inline std::optional<std::uint32_t> try_mode(BytesView field) { return try_number<std::uint32_t>(field, 8); }

}  // namespace berth::git
