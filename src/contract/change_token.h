#pragma once

#include <array>
#include <charconv>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace berth {

/// A cheap change token: differs after any write, chmod or replacement of the file. It sees A-B-A, a revision does not.
/// Opaque to callers. Of a file it holds device, inode, size, mode, mtime and ctime, so it is only as fine as the file
/// system's timestamps where a foreign program writes in place. Kept as numbers: every read makes one, few are shown.
struct ChangeToken {
  std::array<std::uint64_t, 6> words{};

  /// As it travels: the words in hexadecimal, joined by `-`.
  std::string text() const {
    std::array<char, 6 * 17> text;
    char* end = text.data();
    for (const std::uint64_t word : words) {
      if (end != text.data()) *end++ = '-';
      end = std::to_chars(end, text.data() + text.size(), word, 16).ptr;
    }
    return {text.data(), end};
  }

  /// Read what `text` gave; nothing when it is no token.
  static std::optional<ChangeToken> try_parse(std::string_view text) {
    ChangeToken token;
    const char* at = text.data();
    const char* const end = at + text.size();
    for (std::uint64_t& word : token.words) {
      if (&word != token.words.data() && (at == end || *at++ != '-')) return std::nullopt;
      const auto read = std::from_chars(at, end, word, 16);
      if (read.ec != std::errc()) return std::nullopt;
      at = read.ptr;
    }
    return at == end ? std::optional(token) : std::nullopt;
  }

  auto operator<=>(const ChangeToken&) const = default;
};

}  // namespace berth
