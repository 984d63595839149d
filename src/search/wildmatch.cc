#include "search/wildmatch.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace berth::search {
namespace {

constexpr std::size_t kMalformed = std::string_view::npos;

// The C locale's classes; git has its own tables for them, with the same members.
std::optional<std::bitset<256>> posix_class(std::string_view name) {
  const auto between = [](std::bitset<256>& set, unsigned first, unsigned last) {
    for (unsigned byte = first; byte <= last; ++byte) set.set(byte);
  };
  std::bitset<256> upper, lower, digit, punct, space, cntrl, blank, xdigit;
  between(upper, 'A', 'Z');
  between(lower, 'a', 'z');
  between(digit, '0', '9');
  between(punct, 33, 126);
  punct &= ~(upper | lower | digit);
  between(space, 9, 13);
  space.set(' ');
  between(cntrl, 0, 31);
  cntrl.set(127);
  blank.set(' ').set('\t');
  between(xdigit, 'A', 'F');
  between(xdigit, 'a', 'f');
  xdigit |= digit;
  const std::bitset<256> alpha = upper | lower;
  const std::array<std::pair<std::string_view, std::bitset<256>>, 12> classes{
      {{"alnum", alpha | digit},
       {"alpha", alpha},
       {"blank", blank},
       {"cntrl", cntrl},
       {"digit", digit},
       {"graph", alpha | digit | punct},
       {"lower", lower},
       {"print", alpha | digit | punct | std::bitset<256>().set(' ')},
       {"punct", punct},
       {"space", space},
       {"upper", upper},
       {"xdigit", xdigit}}};
  for (const auto& [known, members] : classes) {
    if (known == name) return members;
  }
  return std::nullopt;
}

}  // namespace

Wildmatch::Wildmatch(std::string_view pattern, SlashRule slashes) : slashes_(slashes) {
  for (std::size_t at = 0; at < pattern.size();) {
    switch (pattern[at]) {
      case '*': at = add_stars(pattern, at); break;
      case '?':
        tokens_.push_back({.kind = Token::Kind::any});
        ++at;
        break;
      case '[': at = add_class(pattern, at); break;
      case '\\':
        if (++at == pattern.size()) {
          at = kMalformed;
          break;
        }
        [[fallthrough]];
      default: tokens_.push_back({.kind = Token::Kind::one, .byte = static_cast<std::uint8_t>(pattern[at])}); ++at;
    }
    if (at == kMalformed) tokens_.push_back({.kind = Token::Kind::never});
  }
}

std::size_t Wildmatch::add_stars(std::string_view pattern, std::size_t at) {
  const std::size_t begin = at;
  while (at < pattern.size() && pattern[at] == '*') ++at;
  auto kind = Token::Kind::run;
  if (slashes_ == SlashRule::ordinary) {
    kind = Token::Kind::long_run;
  } else if (at - begin >= 2) {
    const bool opens = begin == 0 || pattern[begin - 1] == '/';
    const std::string_view rest = pattern.substr(at);
    if (opens && (rest.empty() || rest[0] == '/' || rest.starts_with("\\/"))) {
      kind = rest.starts_with('/') ? Token::Kind::skippable : Token::Kind::long_run;
    }
  }
  tokens_.push_back({.kind = kind});
  return at;
}

/// Read the class that opens at `at`; returns what comes after it, or kMalformed.
std::size_t Wildmatch::add_class(std::string_view pattern, std::size_t at) {
  const auto byte_at = [&](std::size_t i) -> int {
    return i < pattern.size() ? static_cast<unsigned char>(pattern[i]) : -1;
  };
  ++at;
  const bool negated = byte_at(at) == '!' || byte_at(at) == '^';
  if (negated) ++at;
  std::bitset<256> members;
  int previous = -1;  // the start of a range, when there can be one
  bool first = true;
  for (; first || byte_at(at) != ']'; ++at, first = false) {
    int byte = byte_at(at);
    if (byte < 0) return kMalformed;
    if (byte == '\\') {
      byte = byte_at(++at);
      if (byte < 0) return kMalformed;
      members.set(static_cast<std::size_t>(byte));
      previous = byte;
    } else if (byte == '-' && previous >= 0 && byte_at(at + 1) >= 0 && byte_at(at + 1) != ']') {
      byte = byte_at(++at);
      if (byte == '\\') byte = byte_at(++at);
      if (byte < 0) return kMalformed;
      for (int member = previous; member <= byte; ++member) members.set(static_cast<std::size_t>(member));
      previous = -1;
    } else if (byte == '[' && byte_at(at + 1) == ':') {
      const auto close = pattern.find(']', at + 2);
      if (close == std::string_view::npos) return kMalformed;
      if (close == at + 2 || pattern[close - 1] != ':') {
        members.set('[');
        previous = byte;
      } else {
        const auto named = posix_class(pattern.substr(at + 2, close - at - 3));
        if (!named) return kMalformed;
        members |= *named;
        previous = -1;
        at = close;
      }
    } else {
      members.set(static_cast<std::size_t>(byte));
      previous = byte;
    }
  }
  if (negated) members.flip();
  if (slashes_ == SlashRule::apart) members.reset('/');
  tokens_.push_back({.kind = Token::Kind::set, .set = static_cast<std::uint32_t>(sets_.size())});
  sets_.push_back(members);
  return at + 1;
}

// Every position in the pattern that the text so far can have led to, moved on byte by byte. A run that is entered may
// be empty, and `**/` may be nothing at all where it is entered, which staying in it must not repeat.
bool Wildmatch::matches(std::string_view text) const {
  constexpr char kHere = 1;
  constexpr char kEntered = 2;
  const std::size_t end = tokens_.size();
  std::vector<char> now(end + 1, 0);
  std::vector<char> next(end + 1, 0);
  const auto take_empty = [&](std::vector<char>& positions) {
    for (std::size_t i = 0; i < end; ++i) {
      if ((positions[i] & kEntered) == 0) continue;
      const auto kind = tokens_[i].kind;
      if (kind == Token::Kind::skippable) positions[i + 2] = kHere | kEntered;
      if (kind == Token::Kind::run || kind == Token::Kind::long_run || kind == Token::Kind::skippable) {
        positions[i + 1] = kHere | kEntered;
      }
    }
  };
  now[0] = kHere | kEntered;
  take_empty(now);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool bars = byte == '/' && slashes_ == SlashRule::apart;
    std::fill(next.begin(), next.end(), 0);
    bool any = false;
    for (std::size_t i = 0; i < end; ++i) {
      if (now[i] == 0) continue;
      const Token& token = tokens_[i];
      bool passes = false;
      bool stays = false;
      switch (token.kind) {
        case Token::Kind::one: passes = token.byte == byte; break;
        case Token::Kind::any: passes = !bars; break;
        case Token::Kind::set: passes = sets_[token.set].test(byte); break;
        case Token::Kind::run: stays = !bars; break;
        case Token::Kind::long_run:
        case Token::Kind::skippable: stays = true; break;
        case Token::Kind::never: break;
      }
      if (stays) next[i] = static_cast<char>(next[i] | kHere);
      if (passes || stays) next[i + 1] = kHere | kEntered;
      any = any || passes || stays;
    }
    if (!any) return false;
    take_empty(next);
    now.swap(next);
  }
  return now[end] != 0;
}

}  // namespace berth::search
