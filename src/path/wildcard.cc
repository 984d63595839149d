#include "path/wildcard.h"

#include <algorithm>

#include "base/bytes.h"

namespace berth {
namespace {

/// Bytes that are part of no character get numbers that no character has.
constexpr std::uint32_t kByteBase = 0x110000;

/// Take the next character of a text.
std::uint32_t next_character(std::string_view text, std::size_t& at) {
  const auto first = static_cast<unsigned char>(text[at]);
  if (first < 0x80) {
    ++at;
    return first;
  }
  std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (at + length > text.size() || !is_utf8(text.substr(at, length))) {
    ++at;
    return kByteBase + first;
  }
  std::uint32_t character = first & (0xFFU >> (length + 1));
  for (++at; --length > 0; ++at) character = character << 6 | (static_cast<unsigned char>(text[at]) & 0x3F);
  return character;
}

std::uint32_t to_lower(std::uint32_t character) noexcept {
  return character >= 'A' && character <= 'Z' ? character + ('a' - 'A') : character;
}

std::uint32_t to_upper(std::uint32_t character) noexcept {
  return character >= 'a' && character <= 'z' ? character - ('a' - 'A') : character;
}

}  // namespace

std::optional<Wildcard> Wildcard::try_compile(std::string_view pattern, WildcardRules rules) {
  Wildcard compiled(rules);
  for (std::size_t at = 0; at < pattern.size();) {
    const bool starts_segment = at == 0 || pattern[at - 1] == '/';
    if (pattern[at] == '*') {
      const std::size_t begin = at;
      while (at < pattern.size() && pattern[at] == '*') ++at;
      if (at - begin == 1) {
        compiled.tokens_.push_back({.kind = Token::Kind::many});
      } else if (starts_segment && at < pattern.size() && pattern[at] == '/') {
        ++at;
        compiled.tokens_.push_back({.kind = Token::Kind::enter_directories});
        compiled.tokens_.push_back({.kind = Token::Kind::directories});
      } else {
        compiled.tokens_.push_back({.kind = Token::Kind::many_across});
      }
    } else if (pattern[at] == '?') {
      ++at;
      compiled.tokens_.push_back({.kind = Token::Kind::any});
    } else if (pattern[at] == '[' && pattern.find(']', at + 2) != std::string_view::npos) {
      if (!compiled.compile_set(pattern, at)) return std::nullopt;
    } else {
      const Character character = next_character(pattern, at);
      const bool folded = rules.letter_case == WildcardRules::Case::folded;
      compiled.tokens_.push_back({.kind = Token::Kind::literal, .character = folded ? to_lower(character) : character});
    }
  }
  return compiled;
}

bool Wildcard::compile_set(std::string_view pattern, std::size_t& at) {
  const std::size_t open = at++;
  Token token{.kind = Token::Kind::set};
  if (pattern[at] == '!' || pattern[at] == '^') {
    token.negated = true;
    ++at;
  }
  // A bracket right after the opening is a member, so the set may yet be unclosed.
  const std::size_t close = pattern.find(']', at + 1);
  if (close == std::string_view::npos) {
    at = open + 1;
    tokens_.push_back({.kind = Token::Kind::literal, .character = '['});
    return true;
  }
  while (at < close) {
    const Character first = next_character(pattern, at);
    Character last = first;
    if (at + 1 < close && pattern[at] == '-') {
      ++at;
      last = next_character(pattern, at);
    }
    if (first > last) return false;
    token.ranges.emplace_back(first, last);
  }
  at = close + 1;
  tokens_.push_back(std::move(token));
  return true;
}

bool Wildcard::set_takes(const Token& token, Character character) const {
  const auto holds = [&](Character wanted) {
    return std::ranges::any_of(token.ranges,
                               [&](const auto& range) { return range.first <= wanted && wanted <= range.second; });
  };
  const bool held = holds(character) || (rules_.letter_case == WildcardRules::Case::folded &&
                                         (holds(to_lower(character)) || holds(to_upper(character))));
  return held != token.negated;
}

bool Wildcard::takes(const Token& token, Character character) const {
  const bool slash_stops = rules_.slash == WildcardRules::Slash::stops && character == '/';
  switch (token.kind) {
    case Token::Kind::literal:
      return token.character == (rules_.letter_case == WildcardRules::Case::folded ? to_lower(character) : character);
    case Token::Kind::any:
    case Token::Kind::many: return !slash_stops;
    case Token::Kind::set: return !slash_stops && set_takes(token, character);
    case Token::Kind::many_across:
    case Token::Kind::directories: return true;
    case Token::Kind::enter_directories: return false;
  }
  return false;
}

std::string Wildcard::longest_literal() const {
  std::string longest;
  std::string run;
  for (const auto& token : tokens_) {
    if (token.kind == Token::Kind::literal && token.character < 0x80) {
      run += static_cast<char>(token.character);
      if (run.size() > longest.size()) longest = run;
    } else {
      run.clear();
    }
  }
  return longest;
}

bool Wildcard::matches(std::string_view text) const {
  bool whole = false;
  find_prefixes(text, [&](std::size_t length) { whole = length == text.size(); });
  return whole;
}

void Wildcard::find_prefixes(std::string_view text, const std::function<void(std::size_t)>& found) const {
  // active[i]: what was read so far may be followed by what token i takes; the last one: it is a match.
  std::vector<char> active(tokens_.size() + 1, 0);
  std::vector<char> next(tokens_.size() + 1, 0);
  active[0] = 1;
  for (std::size_t at = 0;;) {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (active[i] == 0) continue;
      const auto kind = tokens_[i].kind;
      if (kind == Token::Kind::many || kind == Token::Kind::many_across) active[i + 1] = 1;
      if (kind == Token::Kind::enter_directories) active[i + 1] = active[i + 2] = 1;
    }
    if (active.back() != 0 && (at == text.size() || text[at] == '/')) found(at);
    if (at == text.size()) return;

    const Character character = next_character(text, at);
    std::ranges::fill(next, 0);
    bool any = false;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (active[i] == 0 || !takes(tokens_[i], character)) continue;
      any = true;
      switch (tokens_[i].kind) {
        case Token::Kind::many:
        case Token::Kind::many_across: next[i] = 1; break;
        case Token::Kind::directories:
          next[i] = 1;
          if (character == '/') next[i + 1] = 1;
          break;
        default: next[i + 1] = 1;
      }
    }
    if (!any) return;
    active.swap(next);
  }
}

}  // namespace berth
