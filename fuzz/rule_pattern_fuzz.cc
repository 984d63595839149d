#include <cstdint>
#include <string_view>

#include "fuzz/require.h"
#include "path/rule_pattern.h"

using namespace berth;

namespace {

/// The grammar of C-POL-3 without classes, by plain recursion.
bool model(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern.starts_with("**/")) {
    if (model(pattern.substr(3), text)) return true;
    const auto slash = text.find('/');
    return slash != std::string_view::npos && model(pattern, text.substr(slash + 1));
  }
  if (pattern.starts_with("**")) {
    return model(pattern.substr(2), text) || (!text.empty() && model(pattern, text.substr(1)));
  }
  if (pattern[0] == '*') {
    return model(pattern.substr(1), text) || (!text.empty() && text[0] != '/' && model(pattern, text.substr(1)));
  }
  if (text.empty()) return false;
  if (pattern[0] == '?') return text[0] != '/' && model(pattern.substr(1), text.substr(1));
  return pattern[0] == text[0] && model(pattern.substr(1), text.substr(1));
}

/// Short, ASCII, without classes; `**/` only where a directory may begin, and no run of three stars.
bool is_plain(std::string_view text, std::string_view extra) {
  if (text.size() > 10) return false;
  for (const char c : text) {
    if (!((c >= 'a' && c <= 'z') || extra.find(c) != std::string_view::npos)) return false;
  }
  for (auto at = text.find("**"); at != std::string_view::npos; at = text.find("**", at + 1)) {
    if (text.substr(at).starts_with("***")) return false;
    if (at > 0 && text[at - 1] != '/' && text.substr(at).starts_with("**/")) return false;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto cut = input.find('\n');
  if (cut == std::string_view::npos) return 0;
  const std::string_view pattern = input.substr(0, cut);
  const std::string_view text = input.substr(cut + 1);
  const RulePattern rule(pattern);
  const bool matched = rule.matches(text);
  if (!rule.is_valid()) FUZZ_REQUIRE(!matched);
  // Empty directory names are outside the grammar.
  if (text.starts_with('/') || text.find("//") != std::string_view::npos) return 0;
  if (is_plain(pattern, "/*?. ") && is_plain(text, "/. ")) FUZZ_REQUIRE(matched == model(pattern, text));
  return 0;
}
