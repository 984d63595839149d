#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "path/pattern.h"

namespace berth {

/// One unit of a name: a code point, or 0x110000 + byte where the name is not UTF-8.
using NameChar = std::uint32_t;

struct DecodedChar {
  NameChar value = 0;
  std::size_t length = 1;
};

DecodedChar decode_name_char(std::string_view text, std::size_t at) noexcept;

/// The members of a `[...]` class.
class CharSet {
 public:
  enum class Sense { members, all_others };

  CharSet(std::vector<std::pair<NameChar, NameChar>> ranges, Sense sense);
  bool contains(NameChar value) const noexcept;

 private:
  std::bitset<128> ascii_;
  std::vector<std::pair<NameChar, NameChar>> ranges_;  ///< sorted, apart, from 128 up
  Sense sense_;
};

/// One segment of a pattern other than `**`: a name to compare with, or wildcards.
class PatternSegment {
 public:
  /// Parse what stands between two slashes. Errors: `invalid_argument` for a reversed range.
  static Result<PatternSegment> parse(std::string_view text, PatternGrammar grammar, LeadingDots dots);

  /// Whether the whole name matches. Adds the characters looked at to `steps`: at most (name + 1) × (segment + 1).
  bool matches(std::string_view name, std::size_t& steps) const noexcept;

  bool is_literal() const noexcept { return shape_ == Shape::literal; }
  /// The name itself for a literal segment.
  const std::string& literal() const noexcept { return literal_; }
  bool starts_with_dot() const noexcept { return starts_with_dot_; }
  /// Whether every name matches.
  bool is_everything() const noexcept { return shape_ == Shape::suffix && literal_.empty() && !refuses_dot_; }

 private:
  enum class Shape { literal, suffix, tokens };  ///< `name`, `*` + name, anything else
  struct Token {
    enum class Kind : std::uint8_t { one, any, set, run };
    Kind kind;
    NameChar value;  ///< the character, or the index of the set
  };

  bool take_class(std::string_view text, std::size_t& at, std::string_view negations, Result<void>& outcome);
  bool token_matches(const Token& token, NameChar value) const noexcept;
  bool matches_tokens(std::string_view name, std::size_t& steps) const noexcept;

  Shape shape_ = Shape::tokens;
  bool refuses_dot_ = false;
  bool starts_with_dot_ = false;
  std::string literal_;
  std::vector<Token> tokens_;
  std::vector<CharSet> sets_;
};

}  // namespace berth
