#include <algorithm>
#include <optional>

#include "base/bytes.h"
#include "search/regex_syntax.h"

namespace berth::search {
namespace {

/// What is known of a subexpression.
struct Known {
  std::optional<std::string> exact;  ///< it matches this and nothing else
  std::string required;              ///< every match contains this
};

/// Reads an expression that RE2 has accepted, as far as literals go.
class Reader {
 public:
  Reader(std::string_view regex, bool folded) : regex_(regex), folded_(folded) {}

  Known alternation() {
    Known known = concatenation();
    bool single = true;
    while (more() && regex_[at_] == '|') {
      ++at_;
      concatenation();
      single = false;
    }
    return single ? known : Known{};
  }

  bool more() const noexcept { return at_ < regex_.size(); }
  bool gave_up() const noexcept { return gave_up_; }

 private:
  Known concatenation() {
    std::string run;
    std::string best;
    bool exact = true;
    const auto end_run = [&] {
      if (run.size() > best.size()) best = run;
      run.clear();
      exact = false;
    };
    while (more() && regex_[at_] != '|' && regex_[at_] != ')') {
      const Known item = this->item();
      const Times times = repetition();
      const bool present = times != Times::maybe_none;
      if (present && item.exact) run += *item.exact;
      if (times == Times::once && item.exact) continue;
      end_run();
      if (present && item.required.size() > best.size()) best = item.required;
      // The last repetition stands right before what follows.
      if (present && item.exact) run = *item.exact;
    }
    if (exact) return {.exact = run, .required = run};
    end_run();
    return {.exact = std::nullopt, .required = best};
  }

  Known item() {
    const char c = regex_[at_];
    switch (c) {
      case '(': return group();
      case '[': at_ = skip_class(regex_, at_); return {};
      case '.':
      case '^':
      case '$': ++at_; return {};
      case '\\': return escape();
      default: {
        const std::size_t length = std::max<std::size_t>(1, utf8_length_at(regex_, at_));
        at_ += length;
        return literal(regex_.substr(at_ - length, length));
      }
    }
  }

  Known group() {
    ++at_;
    if (more() && regex_[at_] == '?') {
      const auto end = regex_.find_first_of(":>)", at_);
      if (end == std::string_view::npos) return abandon();
      at_ = end + 1;
      // `(?i)` sets flags and holds nothing.
      if (regex_[end] == ')') return {};
    }
    Known inside = alternation();
    ++at_;
    return inside;
  }

  Known escape() {
    const char kind = at_ + 1 < regex_.size() ? regex_[at_ + 1] : '\0';
    if (kind == 'Q' || kind == 'E') return abandon();
    const bool is_punctuation =
        kind > ' ' && kind < '\x7F' &&
        !((kind >= '0' && kind <= '9') || (kind >= 'A' && kind <= 'Z') || (kind >= 'a' && kind <= 'z'));
    if (is_punctuation) {
      at_ += 2;
      return literal(regex_.substr(at_ - 1, 1));
    }
    at_ = skip_escape(regex_, at_);
    return {};
  }

  /// Stop reading: nothing from here on is known.
  Known abandon() {
    gave_up_ = true;
    at_ = regex_.size();
    return {};
  }

  Known literal(std::string_view character) const {
    const char c = character[0];
    // A line end is matched apart, and U+FFFD stands for bytes that are something else.
    if (c == '\n' || c == '\r' || character == "\xEF\xBF\xBD") return {};
    if (!folded_) return {.exact = std::string(character), .required = std::string(character)};
    // The Kelvin sign folds to k and the long s to s, so these letters are not the only bytes that match them.
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
    if (character.size() > 1 || lower == 'k' || lower == 's') return {};
    return {.exact = std::string(1, lower), .required = std::string(1, lower)};
  }

  enum class Times { once, some, maybe_none };

  Times repetition() {
    if (!more()) return Times::once;
    auto times = Times::once;
    if (regex_[at_] == '*' || regex_[at_] == '?') {
      times = Times::maybe_none;
      ++at_;
    } else if (regex_[at_] == '+') {
      times = Times::some;
      ++at_;
    } else if (regex_[at_] == '{') {
      // `{n}`, `{n,}` or `{n,m}`; anything else is an ordinary brace.
      const auto close = regex_.find('}', at_);
      const auto least_end = regex_.find_first_not_of("0123456789", at_ + 1);
      const auto end = regex_.find_first_not_of("0123456789,", at_ + 1);
      if (close == std::string_view::npos || end != close || least_end == at_ + 1) return Times::once;
      const auto least = regex_.substr(at_ + 1, least_end - at_ - 1);
      times = least.find_first_not_of('0') == std::string_view::npos ? Times::maybe_none : Times::some;
      at_ = close + 1;
    }
    // A lazy repetition matches the same lines.
    if (times != Times::once && more() && regex_[at_] == '?') ++at_;
    return times;
  }

  std::string_view regex_;
  bool folded_;
  std::size_t at_ = 0;
  bool gave_up_ = false;
};

/// Whether flags inside the expression switch case folding.
bool sets_case_flag(std::string_view regex) noexcept {
  for (auto at = regex.find("(?"); at != std::string_view::npos; at = regex.find("(?", at + 1)) {
    if (regex.substr(at, regex.find_first_of(":)P<", at + 2) - at).find('i') != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

RequiredLiteral required_literal(std::string_view regex, CaseRule letters) {
  const bool folded = letters == CaseRule::insensitive || sets_case_flag(regex);
  Reader reader(regex, folded);
  Known known = reader.alternation();
  // What was left unread could be an alternative.
  if (reader.more() || reader.gave_up()) return {};
  return {.bytes = std::move(known.required), .folded = folded};
}

}  // namespace berth::search
