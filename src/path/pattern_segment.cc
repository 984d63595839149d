#include "path/pattern_segment.h"

#include <algorithm>

#include "base/bytes.h"
#include "path/brace_expand.h"

namespace berth {
namespace {

constexpr NameChar kLoneByte = 0x110000;

}  // namespace

DecodedChar decode_name_char(std::string_view text, std::size_t at) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<NameChar>(static_cast<unsigned char>(text[at + i])); };
  if (byte(0) < 0x80) return {byte(0), 1};
  switch (utf8_length_at(text, at)) {
    case 2: return {(byte(0) & 0x1FU) << 6U | (byte(1) & 0x3FU), 2};
    case 3: return {(byte(0) & 0x0FU) << 12U | (byte(1) & 0x3FU) << 6U | (byte(2) & 0x3FU), 3};
    case 4:
      return {(byte(0) & 0x07U) << 18U | (byte(1) & 0x3FU) << 12U | (byte(2) & 0x3FU) << 6U | (byte(3) & 0x3FU), 4};
    default: return {kLoneByte + byte(0), 1};
  }
}

CharSet::CharSet(std::vector<std::pair<NameChar, NameChar>> ranges, Sense sense) : sense_(sense) {
  std::sort(ranges.begin(), ranges.end());
  for (auto [first, last] : ranges) {
    for (; first <= last && first < 128; ++first) ascii_.set(first);
    if (first > last) continue;
    if (!ranges_.empty() && first <= ranges_.back().second) {
      ranges_.back().second = std::max(ranges_.back().second, last);
    } else {
      ranges_.emplace_back(first, last);
    }
  }
}

bool CharSet::contains(NameChar value) const noexcept {
  bool member = false;
  if (value < 128) {
    member = ascii_.test(value);
  } else {
    const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), value,
                                        [](NameChar v, const auto& range) { return v < range.first; });
    member = after != ranges_.begin() && value <= std::prev(after)->second;
  }
  return member == (sense_ == Sense::members);
}

/// Read the class at `at` into a token, when one opens there; leaves `at` on its `]`.
bool PatternSegment::take_class(std::string_view text, std::size_t& at, std::string_view negations,
                                Result<void>& outcome) {
  const std::size_t end = class_end(text, at, negations);
  if (end == std::string_view::npos) return false;
  std::size_t inside = at + 1;
  auto sense = CharSet::Sense::members;
  if (negations.find(text[inside]) != std::string_view::npos) {
    sense = CharSet::Sense::all_others;
    ++inside;
  }
  std::vector<std::pair<NameChar, NameChar>> ranges;
  const std::string_view members = text.substr(inside, end - inside);
  for (std::size_t i = 0; i < members.size();) {
    const DecodedChar first = decode_name_char(members, i);
    i += first.length;
    DecodedChar last = first;
    if (i + 1 < members.size() && members[i] == '-') {
      last = decode_name_char(members, i + 1);
      i += 1 + last.length;
      if (last.value < first.value) {
        outcome = make_error(ErrorCode::invalid_argument, "the pattern has a reversed range in a class");
      }
    }
    ranges.emplace_back(first.value, last.value);
  }
  tokens_.push_back({Token::Kind::set, static_cast<NameChar>(sets_.size())});
  sets_.emplace_back(std::move(ranges), sense);
  at = end;
  return true;
}

Result<PatternSegment> PatternSegment::parse(std::string_view text, PatternGrammar grammar, LeadingDots dots) {
  PatternSegment segment;
  segment.starts_with_dot_ = text.starts_with('.');
  segment.refuses_dot_ = !segment.starts_with_dot_ && dots == LeadingDots::named;
  const std::string_view negations = grammar == PatternGrammar::glob ? "!^" : "!";
  Result<void> outcome;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '*') {
      if (segment.tokens_.empty() || segment.tokens_.back().kind != Token::Kind::run) {
        segment.tokens_.push_back({Token::Kind::run, 0});
      }
      ++at;
    } else if (text[at] == '?') {
      segment.tokens_.push_back({Token::Kind::any, 0});
      ++at;
    } else if (text[at] == '[' && segment.take_class(text, at, negations, outcome)) {
      ++at;
    } else {
      const DecodedChar decoded = decode_name_char(text, at);
      segment.tokens_.push_back({Token::Kind::one, decoded.value});
      at += decoded.length;
    }
  }
  BERTH_CHECK(std::move(outcome));

  const auto is_one = [](const Token& token) { return token.kind == Token::Kind::one; };
  const auto& tokens = segment.tokens_;
  if (std::all_of(tokens.begin(), tokens.end(), is_one)) {
    segment.shape_ = Shape::literal;
    segment.literal_ = text;
  } else if (tokens.front().kind == Token::Kind::run && std::all_of(tokens.begin() + 1, tokens.end(), is_one)) {
    // Bytes decide like characters only where the end of a name cannot split one.
    const std::string_view literal =
        text.substr(text.find_first_not_of('*') == std::string_view::npos ? text.size() : text.find_first_not_of('*'));
    if (is_utf8(literal)) {
      segment.shape_ = Shape::suffix;
      segment.literal_ = literal;
    }
  }
  return segment;
}

bool PatternSegment::matches(std::string_view name, std::size_t& steps) const noexcept {
  ++steps;
  if (shape_ == Shape::literal) return name == literal_;
  if (refuses_dot_ && name.starts_with('.')) return false;
  if (shape_ == Shape::suffix) return name.ends_with(literal_);
  return matches_tokens(name, steps);
}

bool PatternSegment::token_matches(const Token& token, NameChar value) const noexcept {
  switch (token.kind) {
    case Token::Kind::one: return token.value == value;
    case Token::Kind::any: return true;
    case Token::Kind::set: return sets_[token.value].contains(value);
    case Token::Kind::run: return false;
  }
  return false;
}

// Every token but a run takes exactly one character, so the earliest place for what stands between two runs is the
// best one, and only the last run ever has to grow.
bool PatternSegment::matches_tokens(std::string_view name, std::size_t& steps) const noexcept {
  constexpr std::size_t kNone = std::string_view::npos;
  std::size_t at = 0;
  std::size_t token = 0;
  std::size_t run = kNone;
  std::size_t run_end = 0;
  while (at < name.size()) {
    ++steps;
    const DecodedChar decoded = decode_name_char(name, at);
    if (token < tokens_.size() && tokens_[token].kind == Token::Kind::run) {
      run = token++;
      run_end = at;
    } else if (token < tokens_.size() && token_matches(tokens_[token], decoded.value)) {
      ++token;
      at += decoded.length;
    } else if (run != kNone) {
      token = run + 1;
      run_end += decode_name_char(name, run_end).length;
      at = run_end;
    } else {
      return false;
    }
  }
  while (token < tokens_.size() && tokens_[token].kind == Token::Kind::run) ++token;
  return token == tokens_.size();
}

}  // namespace berth
