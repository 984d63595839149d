#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/require.h"
#include "path/pattern.h"

using namespace berth;

namespace {

/// Plain recursion over characters and segments, for short ASCII patterns without classes and braces.
bool name_matches(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '*')
    return name_matches(pattern.substr(1), text) || (!text.empty() && name_matches(pattern, text.substr(1)));
  if (text.empty()) return false;
  return (pattern[0] == '?' || pattern[0] == text[0]) && name_matches(pattern.substr(1), text.substr(1));
}

std::pair<std::string_view, std::string_view> cut(std::string_view path) {
  const auto slash = path.find('/');
  return slash == std::string_view::npos ? std::pair{path, std::string_view{}}
                                         : std::pair{path.substr(0, slash), path.substr(slash + 1)};
}

bool path_matches(std::string_view pattern, std::string_view text) {
  if (pattern.empty() || text.empty()) return pattern.empty() && text.empty();
  const auto [part, more] = cut(pattern);
  const auto [first, rest] = cut(text);
  if (part == "**") {
    if (!more.empty() && path_matches(more, text)) return true;
    return (more.empty() && rest.empty()) || (!rest.empty() && path_matches(pattern, rest));
  }
  return name_matches(part, first) && path_matches(more, rest);
}

/// Whether every segment is one the model reads.
bool is_plain(std::string_view text, std::string_view extra) {
  if (text.empty() || text.size() > 12) return false;
  for (const char c : text) {
    if (!((c >= 'a' && c <= 'z') || c == '/' || c == '.' || extra.find(c) != std::string_view::npos)) return false;
  }
  for (std::string_view rest = text;;) {
    const auto slash = rest.find('/');
    const std::string_view part = rest.substr(0, slash);
    if (part.empty() || part == "." || part == "..") return false;
    if (slash == std::string_view::npos) return true;
    rest = rest.substr(slash + 1);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto cut_at = input.find('\n');
  if (cut_at == std::string_view::npos) return 0;
  const std::string_view pattern = input.substr(0, cut_at);
  const std::string_view path = input.substr(cut_at + 1);
  for (const auto grammar : {PatternGrammar::list, PatternGrammar::glob}) {
    const auto compiled = PathPattern::compile(pattern, grammar);
    if (!compiled) {
      FUZZ_REQUIRE(compiled.error().code == ErrorCode::invalid_argument);
      continue;
    }
    const bool matched = compiled->matches(path);
    if (grammar == PatternGrammar::list && is_plain(pattern, "*?") && is_plain(path, "")) {
      FUZZ_REQUIRE(matched == path_matches(pattern, path));
    }
    if (!matched || !is_plain(path, "*?[]{}ABC-")) continue;
    FUZZ_REQUIRE(compiled->may_match_below("."));
    for (auto slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/', slash + 1)) {
      FUZZ_REQUIRE(compiled->may_match_below(path.substr(0, slash)));
    }
    const std::string& prefix = compiled->literal_prefix();
    FUZZ_REQUIRE(prefix == "." || path.starts_with(prefix + "/"));
  }
  return 0;
}
