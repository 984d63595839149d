#pragma once

#include <string>
#include <vector>

#include "base/bytes.h"

namespace berth::search {

/// Shows bytes to RE2 as UTF-8: each byte that belongs to no character reads as one U+FFFD, as it does where text is
/// decoded for people. Positions in what is shown can be told back. Costs nothing for bytes that are UTF-8 already.
class Utf8Lens {
 public:
  explicit Utf8Lens(BytesView bytes);

  BytesView shown() const noexcept { return replaced_.empty() ? bytes_ : BytesView(text_); }
  /// The place in the bytes that a place in `shown()` stands for.
  std::size_t original(std::size_t shown_position) const noexcept;
  /// The place in `shown()` for a place in the bytes that does not split a character.
  std::size_t shown_at(std::size_t position) const noexcept;

 private:
  BytesView bytes_;
  std::string text_;
  std::vector<std::size_t> replaced_;  ///< positions in `text_` of the stand-ins, ascending
};

/// Whether bytes are UTF-8; quick where they are ASCII.
bool is_plain_utf8(BytesView bytes) noexcept;

}  // namespace berth::search
