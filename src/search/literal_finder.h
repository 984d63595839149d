#pragma once

#include <string>
#include <string_view>

#include "base/bytes.h"

namespace berth::search {

/// Finds one literal in buffers, by its rarest byte. Immutable; safe from many threads. Linear in the buffer: where the
/// rare byte turns out not to be rare, memmem(3) takes over; a folded literal is at most `kMaxFoldedBytes` long.
class LiteralFinder {
 public:
  enum class Case { exact, ascii_folded };

  static constexpr std::size_t kMaxFoldedBytes = 32;
  static constexpr std::size_t kNotFound = std::string_view::npos;

  /// The literal must not be empty.
  LiteralFinder(std::string literal, Case letters);

  /// Where the literal next begins at or after `from`; `kNotFound` when it does not.
  std::size_t find(BytesView buffer, std::size_t from) const noexcept;

  const std::string& literal() const noexcept { return literal_; }

 private:
  std::size_t find_exact(BytesView buffer, std::size_t from) const noexcept;
  std::size_t find_folded(BytesView buffer, std::size_t from) const noexcept;
  bool equals_folded(const char* text) const noexcept;

  std::string literal_;  ///< lower case when folded
  Case letters_;
  std::size_t rare_ = 0;  ///< the index of the rarest byte
};

}  // namespace berth::search
