#include "workspace/patch/line_places.h"

#include <algorithm>

namespace berth {

LinePlaces::LinePlaces(std::vector<BytesView> lines) : lines_(std::move(lines)) {}

bool LinePlaces::stands_at(std::span<const BytesView> run, std::size_t at) const noexcept {
  if (at > lines_.size() || run.size() > lines_.size() - at) return false;
  return std::equal(run.begin(), run.end(), lines_.begin() + static_cast<std::ptrdiff_t>(at));
}

std::vector<std::size_t> LinePlaces::find(std::span<const BytesView> run) {
  if (run.empty() || run.size() > lines_.size()) return {};
  if (text_.empty()) {
    text_.reserve(lines_.size());
    for (const auto line : lines_) {
      text_.push_back(numbers_.try_emplace(line, static_cast<std::uint32_t>(numbers_.size())).first->second);
    }
  }
  std::vector<std::uint32_t> pattern;
  pattern.reserve(run.size());
  for (const auto line : run) {
    const auto known = numbers_.find(line);
    if (known == numbers_.end()) return {};
    pattern.push_back(known->second);
  }
  // Knuth, Morris and Pratt, "Fast Pattern Matching in Strings", 1977.
  std::vector<std::size_t> border(pattern.size(), 0);
  for (std::size_t i = 1, matched = 0; i < pattern.size(); ++i) {
    while (matched > 0 && pattern[i] != pattern[matched]) matched = border[matched - 1];
    if (pattern[i] == pattern[matched]) ++matched;
    border[i] = matched;
  }
  std::vector<std::size_t> places;
  for (std::size_t i = 0, matched = 0; i < text_.size(); ++i) {
    while (matched > 0 && text_[i] != pattern[matched]) matched = border[matched - 1];
    if (text_[i] == pattern[matched]) ++matched;
    if (matched < pattern.size()) continue;
    places.push_back(i + 1 - pattern.size());
    matched = border[matched - 1];
  }
  return places;
}

}  // namespace berth
