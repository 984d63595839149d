// Nothing of the library's compiled part is needed, and errors are values here.
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_ENABLE_WINDOWS_COMPAT 0
#include <toml++/toml.h>

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
  const auto parsed = toml::parse(text);
  if (parsed) return convert(parsed.table(), 0);
  const auto& fault = parsed.error();
  return rule_file_error(static_cast<std::int64_t>(fault.source().begin.line), "",
                         "this is not TOML: " + std::string(fault.description()));
}

}  // namespace berth
