#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/require.h"
#include "path/path.h"

using namespace berth;

namespace {

/// The rules of C-PATH-1 and C-PATH-2 as slowly as they read: a code, or the normal path.
struct Answer {
  std::optional<ErrorCode> code;
  std::string text;
};

Answer model(std::string_view written, const std::vector<std::vector<std::string>>& roots, PathRules rules) {
  if (written.empty() || written.size() > 4096 || written.find('\0') != std::string_view::npos) {
    return {ErrorCode::invalid_argument, {}};
  }
  std::vector<std::string> parts;
  const bool absolute = written.front() == '/';
  std::string part;
  for (const char c : std::string(written) + "/") {
    if (c != '/') {
      part += c;
      continue;
    }
    if (part == ".." && rules.dot_dot == PathRules::DotDot::refuse) return {ErrorCode::invalid_argument, {}};
    if (!part.empty() && part != ".") parts.push_back(part);
    part.clear();
  }
  for (const std::string& name : parts) {
    if (name.size() > 255) return {ErrorCode::name_too_long, {}};
  }
  // An absolute path spells a root first; what follows is read as if it stood there.
  if (absolute) {
    const auto root = std::find_if(roots.begin(), roots.end(), [&parts](const std::vector<std::string>& names) {
      return parts.size() >= names.size() && std::equal(names.begin(), names.end(), parts.begin());
    });
    if (root == roots.end()) return {ErrorCode::path_escape, {}};
    parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(root->size()));
  }
  std::vector<std::string> stack;
  for (const std::string& name : parts) {
    if (name != "..") {
      stack.push_back(name);
    } else if (!stack.empty()) {
      stack.pop_back();
    } else {
      return {ErrorCode::path_escape, {}};
    }
  }
  std::string text;
  for (const std::string& name : stack) text += (text.empty() ? "" : "/") + name;
  return {std::nullopt, text.empty() ? "." : text};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::string> roots = {"/ws", "/a/b"};
  const std::string_view written(reinterpret_cast<const char*>(data), size);
  for (const auto dot_dot : {PathRules::DotDot::collapse, PathRules::DotDot::refuse}) {
    const PathRules rules{.dot_dot = dot_dot};
    const auto parsed = parse_path(written, roots, rules);
    const Answer expected = model(written, {{"ws"}, {"a", "b"}}, rules);
    if (!parsed) {
      // An absolute path that leaves the root may be refused for that or for a name in it.
      FUZZ_REQUIRE(expected.code.has_value());
      FUZZ_REQUIRE(parsed.error().code == *expected.code ||
                   (expected.code == ErrorCode::name_too_long && parsed.error().code == ErrorCode::path_escape) ||
                   (expected.code == ErrorCode::path_escape && parsed.error().code == ErrorCode::name_too_long));
      FUZZ_REQUIRE(parsed.error().path == written);
      continue;
    }
    FUZZ_REQUIRE(!expected.code);
    FUZZ_REQUIRE(parsed->text() == expected.text);
    for (const std::string_view name : parsed->components()) FUZZ_REQUIRE(is_component(name));
    const auto again = parse_path(parsed->text(), roots, rules);
    FUZZ_REQUIRE(again.has_value() && *again == *parsed);
  }
  return 0;
}
