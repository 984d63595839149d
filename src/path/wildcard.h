#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth {

/// How the wildcards of policies are read; the two dialects share everything else.
struct WildcardRules {
  enum class Slash { stops, crosses };  ///< whether `*`, `?` and classes take a slash
  enum class Case { exact, folded };    ///< folded: ASCII letters are equal in both cases

  Slash slash = Slash::stops;
  Case letter_case = Case::exact;
};

/// A pattern anchored at both ends, for policies (C-POL-2, C-POL-3): `?` one character, `*` any number of them, `**`
/// the same across slashes, `**/` at the start of a segment zero or more directories, `[...]` one character of a set
/// with ranges, negated by `!` or `^`. There are no escapes; a `[` that is never closed is a plain character.
///
/// A character is a UTF-8 character, or one byte where the text is not UTF-8. All states of the pattern are carried
/// along at once, so time is text times pattern, for every input. Immutable; safe from many threads.
class Wildcard {
 public:
  /// Compile; nothing when a range is reversed.
  static std::optional<Wildcard> try_compile(std::string_view pattern, WildcardRules rules);

  bool matches(std::string_view text) const;

  /// The longest run of plain ASCII characters in the pattern: every text that matches holds it (unless letters are
  /// folded). A cheap first question.
  std::string longest_literal() const;

  /// Call `found` with the length of every prefix that matches and ends before a slash or at the end of the text.
  void find_prefixes(std::string_view text, const std::function<void(std::size_t)>& found) const;

 private:
  using Character = std::uint32_t;

  struct Token {
    /// `enter_directories` stands before `directories` and may skip it; what `directories` has begun ends at a slash.
    enum class Kind : std::uint8_t { literal, any, set, many, many_across, enter_directories, directories };

    Kind kind = Kind::literal;
    Character character = 0;
    bool negated = false;
    std::vector<std::pair<Character, Character>> ranges;
  };

  explicit Wildcard(WildcardRules rules) : rules_(rules) {}

  bool compile_set(std::string_view pattern, std::size_t& at);
  bool takes(const Token& token, Character character) const;
  bool set_takes(const Token& token, Character character) const;

  WildcardRules rules_;
  std::vector<Token> tokens_;
};

}  // namespace berth
