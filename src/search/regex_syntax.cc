#include "search/regex_syntax.h"

#include <algorithm>

namespace berth::search {

std::size_t skip_class(std::string_view regex, std::size_t open) noexcept {
  std::size_t at = open + 1;
  if (at < regex.size() && regex[at] == '^') ++at;
  for (bool first = true; at < regex.size(); first = false) {
    if (regex[at] == ']' && !first) return at + 1;
    if (regex[at] == '\\') {
      at = skip_escape(regex, at);
    } else if (regex.substr(at).starts_with("[:")) {
      const auto close = regex.find(":]", at + 2);
      at = close == std::string_view::npos ? at + 1 : close + 2;
    } else {
      ++at;
    }
  }
  return regex.size();
}

std::size_t skip_escape(std::string_view regex, std::size_t at) noexcept {
  const auto upto = [&](std::string_view ending, std::size_t from) {
    const auto end = regex.find(ending, from);
    return end == std::string_view::npos ? regex.size() : end + ending.size();
  };
  if (at + 1 >= regex.size()) return regex.size();
  const char kind = regex[at + 1];
  at += 2;
  if (kind == 'Q') return upto("\\E", at);
  const bool braced = at < regex.size() && regex[at] == '{';
  if (kind == 'x') return braced ? upto("}", at) : std::min(at + 2, regex.size());
  if (kind == 'p' || kind == 'P') {
    if (braced) return upto("}", at);
    while (at < regex.size() && (static_cast<unsigned char>(regex[at]) & 0xC0U) == 0x80U) ++at;
    return std::min(at + 1, regex.size());
  }
  if (kind >= '0' && kind <= '7') {
    for (int i = 0; i < 2 && at < regex.size() && regex[at] >= '0' && regex[at] <= '7'; ++i) ++at;
  }
  return at;
}

std::string accept_cr_before_end(std::string_view regex) {
  std::string accepting;
  for (std::size_t at = 0; at < regex.size();) {
    std::size_t end = at + 1;
    if (regex[at] == '\\') end = skip_escape(regex, at);
    if (regex[at] == '[') end = skip_class(regex, at);
    if (regex[at] == '$') {
      accepting += "(?:\\r?$)";
    } else {
      accepting += regex.substr(at, end - at);
    }
    at = end;
  }
  return accepting;
}

bool needs_single_lines(std::string_view regex) noexcept {
  for (std::size_t at = 0; at < regex.size();) {
    if (regex[at] == '\\') {
      if (at + 1 < regex.size() && std::string_view("AzC").find(regex[at + 1]) != std::string_view::npos) return true;
      at = skip_escape(regex, at);
    } else if (regex[at] == '[') {
      at = skip_class(regex, at);
    } else if (regex.substr(at).starts_with("(?")) {
      const auto flags_end = regex.find_first_of(":)P<", at + 2);
      if (regex.substr(at, flags_end - at).find('-') != std::string_view::npos) return true;
      at += 2;
    } else {
      ++at;
    }
  }
  return false;
}

}  // namespace berth::search
