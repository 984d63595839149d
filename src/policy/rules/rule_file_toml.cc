// The library's parser asserts what a broken file need not keep, such as a table's name after `[`, and in a release
// build takes it for granted. Here it is an error of the file.
#undef NDEBUG
namespace berth {
namespace {
struct BrokenToml {};
[[noreturn]] void refuse_toml() { throw BrokenToml(); }
}  // namespace
}  // namespace berth
#define TOML_ASSERT(expr) ((expr) ? static_cast<void>(0) : ::berth::refuse_toml())

// Nothing of the library's compiled part is needed.
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 1
#define TOML_ENABLE_FORMATTERS 0
#define TOML_ENABLE_WINDOWS_COMPAT 0
#include <toml++/toml.h>

#include <algorithm>

#include "policy/rules/rule_node_internal.h"

namespace berth {
namespace {

RuleNode convert(const toml::node& from, int depth) {
  RuleNode node;
  node.line = static_cast<std::int64_t>(from.source().begin.line);
  if (const auto* text = from.as_string()) {
    node.kind = RuleNode::Kind::text;
    node.text = text->get();
  } else if (depth == kDeepestNode) {
    node.kind = RuleNode::Kind::other;
  } else if (const auto* table = from.as_table()) {
    node.kind = RuleNode::Kind::table;
    for (const auto& [key, value] : *table) {
      node.members.push_back({std::string(key.str()), convert(value, depth + 1)});
      // A table that is only implied has no place of its own; its name has.
      if (node.members.back().node.line == 0) {
        node.members.back().node.line = static_cast<std::int64_t>(key.source().begin.line);
      }
    }
  } else if (const auto* list = from.as_array()) {
    node.kind = RuleNode::Kind::list;
    for (const auto& value : *list) node.items.push_back(convert(value, depth + 1));
  } else {
    node.kind = RuleNode::Kind::other;
  }
  return node;
}

}  // namespace

Result<RuleNode> parse_toml_rules(std::string_view text) {
  // The library's tables of Unicode letters have holes in which it does as it likes.
  const auto beyond = std::ranges::find_if(text, [](char byte) { return static_cast<unsigned char>(byte) >= 0x80; });
  if (beyond != text.end()) {
    return rule_file_error(1 + std::count(text.begin(), beyond, '\n'), "",
                           "characters beyond ASCII are written as \\uXXXX in TOML, or use a .json file");
  }
  try {
    return convert(toml::parse(text), 0);
  } catch (const toml::parse_error& fault) {
    return rule_file_error(static_cast<std::int64_t>(fault.source().begin.line), "",
                           "this is not TOML: " + std::string(fault.description()));
  } catch (const BrokenToml&) {
    return rule_file_error(0, "", "this is not TOML");
  }
}

}  // namespace berth
