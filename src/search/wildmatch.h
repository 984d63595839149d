#pragma once

#include <bitset>
#include <cstdint>
#include <string_view>
#include <vector>

namespace berth::search {

/// What a slash is to a pattern.
enum class SlashRule {
  ordinary,  ///< any wildcard may take it: the text is one name
  apart      ///< only `**` between slashes takes it: the text is a path
};

/// A glob pattern with the meaning git's wildmatch gives it: bytes, `\` escapes, `*`, `?`, `[...]` with ranges, `!` or
/// `^` and POSIX names, `**`. Immutable. Matching costs at most (text + 1) × (pattern + 1) steps, without backtracking.
class Wildmatch {
 public:
  Wildmatch(std::string_view pattern, SlashRule slashes);

  bool matches(std::string_view text) const;

 private:
  struct Token {
    enum class Kind : std::uint8_t {
      one,        ///< this byte
      any,        ///< one byte, no slash when slashes are apart
      set,        ///< one byte of a class
      run,        ///< any bytes up to a slash
      long_run,   ///< any bytes
      skippable,  ///< as long_run, and may take the slash that follows with it: `**/`
      never       ///< malformed: nothing gets past here
    };
    Kind kind;
    std::uint8_t byte = 0;
    std::uint32_t set = 0;
  };

  std::size_t add_stars(std::string_view pattern, std::size_t at);
  std::size_t add_class(std::string_view pattern, std::size_t at);

  SlashRule slashes_;
  std::vector<Token> tokens_;
  std::vector<std::bitset<256>> sets_;
};

}  // namespace berth::search
