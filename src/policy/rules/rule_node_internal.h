#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace berth {

/// What a file of rules holds, whatever it is written in.
struct RuleNode {
  enum class Kind : std::uint8_t { null, text, table, list, other };
  struct Member;

  Kind kind = Kind::null;
  std::int64_t line = 0;  ///< 0: not known
  std::string text;
  std::vector<Member> members;
  std::vector<RuleNode> items;
};

struct RuleNode::Member {
  std::string key;
  RuleNode node;
};

/// Nothing in a file of rules is deeper.
inline constexpr int kDeepestNode = 8;

Error rule_file_error(std::int64_t line, const std::string& key, std::string message);

Result<RuleNode> parse_toml_rules(std::string_view text);
Result<RuleNode> parse_json_rules(std::string_view text);

}  // namespace berth
