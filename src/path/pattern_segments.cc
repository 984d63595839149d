#include "path/pattern_segments.h"

#include <algorithm>

namespace berth {
namespace {

/// Cut the next name off `path`.
std::string_view take_name(std::string_view& path) noexcept {
  const auto slash = path.find('/');
  const auto name = path.substr(0, slash);
  path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
  return name;
}

}  // namespace

Result<SegmentedPattern> SegmentedPattern::parse(std::string_view text, PatternGrammar grammar, LeadingDots dots) {
  if (text.starts_with('/'))
    return make_error(ErrorCode::invalid_argument, "the pattern is absolute; it must be relative");
  SegmentedPattern pattern;
  pattern.dots_ = dots;
  while (!text.empty()) {
    const std::string_view part = take_name(text);
    if (part.empty() || part == ".") continue;
    if (part == "..") return make_error(ErrorCode::invalid_argument, "the pattern has a `..` segment");
    if (part == "**") {
      if (pattern.elements_.empty() || pattern.elements_.back()) pattern.elements_.emplace_back();
      continue;
    }
    BERTH_TRY(auto segment, PatternSegment::parse(part, grammar, dots));
    pattern.elements_.emplace_back(std::move(segment));
  }
  // A `**` at the end wants at least one name below.
  if (!pattern.elements_.empty() && !pattern.elements_.back()) {
    BERTH_TRY(auto any_name, PatternSegment::parse("*", grammar, dots));
    pattern.elements_.emplace_back(std::move(any_name));
  }
  return pattern;
}

// As with characters and runs in a segment: only the last `**` has to grow. A `**` that must not cross hidden names
// does not change that, because a segment matches either hidden names only or none.
bool SegmentedPattern::matches(std::string_view path, std::size_t& steps) const {
  if (path == ".") return elements_.empty();
  constexpr std::size_t kNone = std::string_view::npos;
  std::size_t element = 0;
  std::size_t crossing = kNone;
  std::string_view after_crossing;
  std::string_view rest = path;
  while (!rest.empty()) {
    if (element < elements_.size() && !elements_[element]) {
      crossing = element++;
      after_crossing = rest;
      continue;
    }
    std::string_view next = rest;
    if (element < elements_.size() && elements_[element]->matches(take_name(next), steps)) {
      // The last element can only take the last name: let `**` reach it at once.
      if (element + 1 < elements_.size() || next.empty()) {
        ++element;
        rest = next;
        continue;
      }
    }
    if (crossing == kNone || !crosses(take_name(after_crossing))) return false;
    element = crossing + 1;
    rest = after_crossing;
  }
  return element == elements_.size();
}

bool SegmentedPattern::may_match_below(std::string_view directory) const {
  if (directory == ".") return !elements_.empty();
  // reached[i]: the names so far can be what the first i elements match.
  std::vector<char> reached(elements_.size() + 1, 0);
  reached[0] = 1;
  std::size_t steps = 0;
  for (std::string_view rest = directory; !rest.empty();) {
    const std::string_view name = take_name(rest);
    std::vector<char> next(reached.size(), 0);
    bool any = false;
    for (std::size_t i = 0; i < elements_.size(); ++i) {
      if (!reached[i]) continue;
      if (!elements_[i]) {
        reached[i + 1] = 1;
        next[i] = crosses(name);
        any = any || next[i];
      } else if (i + 1 < elements_.size() && elements_[i]->matches(name, steps)) {
        next[i + 1] = 1;
        any = true;
      }
    }
    if (!any) return false;
    reached.swap(next);
  }
  return true;
}

bool SegmentedPattern::names_hidden() const noexcept {
  return std::any_of(elements_.begin(), elements_.end(),
                     [](const Element& element) { return element && element->starts_with_dot(); });
}

bool SegmentedPattern::is_everything() const noexcept {
  return elements_.size() == 2 && !elements_[0] && elements_[1]->is_everything();
}

std::string SegmentedPattern::literal_prefix() const {
  std::string prefix;
  for (std::size_t i = 0; i + 1 < elements_.size() && elements_[i] && elements_[i]->is_literal(); ++i) {
    if (i != 0) prefix += '/';
    prefix += elements_[i]->literal();
  }
  return prefix.empty() ? "." : prefix;
}

}  // namespace berth
