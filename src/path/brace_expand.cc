#include "path/brace_expand.h"

#include <algorithm>

namespace berth {
namespace {

struct Group {
  std::size_t open = 0;
  std::size_t close = 0;
  std::vector<std::size_t> commas;
};

/// The first balanced group that has a comma; its `close` is 0 when there is none. One pass: a stack pairs the braces.
Group first_group(std::string_view pattern) {
  Group first;
  std::vector<Group> open;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    switch (pattern[at]) {
      case '[':
        if (const auto end = class_end(pattern, at, "!^"); end != std::string_view::npos) at = end;
        break;
      case '{': open.push_back({.open = at, .close = 0, .commas = {}}); break;
      case ',':
        if (!open.empty()) open.back().commas.push_back(at);
        break;
      case '}':
        if (open.empty()) break;
        open.back().close = at;
        if (!open.back().commas.empty() && (first.close == 0 || open.back().open < first.open)) {
          first = std::move(open.back());
        }
        open.pop_back();
        break;
      default: break;
    }
  }
  return first;
}

}  // namespace

std::size_t class_end(std::string_view pattern, std::size_t open, std::string_view negations) noexcept {
  std::size_t at = open + 1;
  if (at < pattern.size() && negations.find(pattern[at]) != std::string_view::npos) ++at;
  if (at < pattern.size() && pattern[at] == ']') ++at;
  const auto end = pattern.find_first_of("]/", at);
  return end != std::string_view::npos && pattern[end] == ']' ? end : std::string_view::npos;
}

Result<std::vector<std::string>> expand_braces(std::string_view pattern) {
  std::vector<std::string> expanded;
  std::vector<std::string> pending{std::string(pattern)};
  while (!pending.empty()) {
    std::string text = std::move(pending.back());
    pending.pop_back();
    const Group group = first_group(text);
    if (group.close == 0) {
      expanded.push_back(std::move(text));
      continue;
    }
    std::vector<std::string> alternatives;
    std::size_t begin = group.open + 1;
    for (std::size_t i = 0; i <= group.commas.size(); ++i) {
      const std::size_t end = i < group.commas.size() ? group.commas[i] : group.close;
      alternatives.push_back(text.substr(0, group.open) + text.substr(begin, end - begin) +
                             text.substr(group.close + 1));
      begin = end + 1;
      // Every pending text yields at least one result, so the promise is already broken here.
      if (expanded.size() + pending.size() + alternatives.size() > kMaxBraceAlternatives) {
        return make_error(ErrorCode::invalid_argument, "the pattern's braces expand to more than 1024 alternatives");
      }
    }
    std::move(alternatives.rbegin(), alternatives.rend(), std::back_inserter(pending));
  }
  return expanded;
}

}  // namespace berth
