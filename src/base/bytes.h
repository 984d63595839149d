#pragma once

#include <string>
#include <string_view>

namespace berth {

/// Content: any bytes, no encoding implied. A string type because callers on every surface already hold one.
using Bytes = std::string;
using BytesView = std::string_view;

/// Text decoded at the edge.
struct DecodedText {
  std::string text;        ///< valid UTF-8
  bool was_lossy = false;  ///< at least one byte became U+FFFD

  bool operator==(const DecodedText&) const = default;
};

/// Decode bytes as UTF-8 with one U+FFFD per undecodable byte (C-VAL-3).
DecodedText decode_utf8(BytesView bytes);

/// Check that bytes are well-formed UTF-8 (no surrogates, no overlong forms, at most U+10FFFF).
bool is_utf8(BytesView bytes) noexcept;

/// Length of the well-formed UTF-8 sequence that starts at `at`: 1 to 4, or 0 when none starts there.
std::size_t utf8_length_at(BytesView bytes, std::size_t at) noexcept;

/// Cut to at most `max_bytes` without splitting a UTF-8 sequence; bytes that are not UTF-8 are cut as they are.
BytesView utf8_prefix(BytesView bytes, std::size_t max_bytes) noexcept;

}  // namespace berth
