#include <algorithm>
#include <iterator>

#include <nlohmann/json.hpp>

#include "policy/rules/rule_file.h"
#include "policy/rules/rule_node_internal.h"

namespace berth {
namespace {

using Json = nlohmann::ordered_json;

/// Walks over a text and tells in which line the parser is.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, std::int64_t* line) : at_(at), line_(line) {}

  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    if (*at_ == '\n') ++*line_;
    ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    auto before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  std::int64_t* line_;
};

/// Builds nodes from the parser's events; stops at the first fault. Names are the parser's.
// NOLINTBEGIN(readability-identifier-naming)
class Builder {
 public:
  using number_integer_t = Json::number_integer_t;
  using number_unsigned_t = Json::number_unsigned_t;
  using number_float_t = Json::number_float_t;
  using string_t = Json::string_t;
  using binary_t = Json::binary_t;

  explicit Builder(const std::int64_t& line) : line_(line) {}

  bool null() { return add({.kind = RuleNode::Kind::null}); }
  bool boolean(bool) { return add({.kind = RuleNode::Kind::other}); }
  bool number_integer(number_integer_t) { return add({.kind = RuleNode::Kind::other}); }
  bool number_unsigned(number_unsigned_t) { return add({.kind = RuleNode::Kind::other}); }
  bool number_float(number_float_t, const string_t&) { return add({.kind = RuleNode::Kind::other}); }
  bool string(string_t& text) { return add({.kind = RuleNode::Kind::text, .line = 0, .text = std::move(text)}); }
  bool binary(binary_t&) { return false; }
  bool start_object(std::size_t) { return open(RuleNode::Kind::table); }
  bool start_array(std::size_t) { return open(RuleNode::Kind::list); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(string_t& name) {
    auto& members = open_.back().members;
    if (std::ranges::any_of(members, [&](const auto& member) { return member.key == name; })) {
      fault_ = rule_file_error(line_, name, "the key is written twice");
      return false;
    }
    members.push_back({std::move(name), RuleNode{}});
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) {
    fault_ = rule_file_error(line_, "", "this is not JSON: something is missing, or does not belong here");
    return false;
  }
  // NOLINTEND(readability-identifier-naming)

  Result<RuleNode> finish() && {
    if (fault_) return *std::move(fault_);
    return std::move(top_);
  }

 private:
  bool open(RuleNode::Kind kind) {
    if (open_.size() == kDeepestNode) {
      fault_ = rule_file_error(line_, "", "rules are not nested this deep");
      return false;
    }
    open_.push_back({.kind = kind, .line = line_});
    return true;
  }

  bool close() {
    RuleNode node = std::move(open_.back());
    open_.pop_back();
    return put(std::move(node));
  }

  bool add(RuleNode node) {
    node.line = line_;
    return put(std::move(node));
  }

  bool put(RuleNode node) {
    if (open_.empty()) {
      top_ = std::move(node);
    } else if (auto& parent = open_.back(); parent.kind == RuleNode::Kind::table) {
      parent.members.back().node = std::move(node);
    } else {
      parent.items.push_back(std::move(node));
    }
    return true;
  }

  const std::int64_t& line_;
  std::vector<RuleNode> open_;
  RuleNode top_;
  std::optional<Error> fault_;
};

Json rule_to_json(const Rule& rule) {
  Json object;
  if (rule.group.empty()) {
    object["pattern"] = rule.pattern;
  } else {
    object["group"] = rule.group;
  }
  object["action"] = action_name(rule.action);
  if (!rule.description.empty()) object["description"] = rule.description;
  return object;
}

}  // namespace

Result<RuleNode> parse_json_rules(std::string_view text) {
  std::int64_t line = 1;
  Builder builder(line);
  Json::sax_parse(CountingIterator(text.data(), &line), CountingIterator(text.data() + text.size(), &line), &builder);
  return std::move(builder).finish();
}

std::string to_json(const RuleSpec& spec) {
  Json top;
  top["default"] = action_name(spec.fallback);
  for (const auto operation : kOperations) {
    const auto& of = spec.of(operation);
    if (of == OperationRules{}) continue;
    Json object = Json::object();
    if (of.fallback) object["default"] = action_name(*of.fallback);
    if (!of.rules.empty()) object["rules"] = Json::array();
    for (const auto& rule : of.rules) object["rules"].push_back(rule_to_json(rule));
    top[std::string(operation_name(operation))] = std::move(object);
  }
  // Patterns are bytes; what is not UTF-8 cannot be said in JSON.
  return top.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace berth
