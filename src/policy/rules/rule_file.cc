#include "policy/rules/rule_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>

#include "os/fd.h"
#include "policy/rules/rule_node_internal.h"

namespace berth {
namespace {

constexpr std::size_t kLargestFile = 1024 * 1024;
constexpr std::string_view kPreset = "preset:";

std::string quoted(std::string_view text) { return "`" + std::string(text) + "`"; }

std::string one_of(std::span<const std::string_view> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

Error no_preset(std::string_view name) {
  return make_error(ErrorCode::invalid_argument,
                    "there is no preset " + quoted(name) + "; write " + one_of(rule_preset_names()));
}

/// Turns what a file holds into rules, and remembers where each was written.
class Reader {
 public:
  Result<RuleSpec> read(const RuleNode& top) {
    BERTH_CHECK(need(top, "", RuleNode::Kind::table));
    RuleSpec preset;
    for (const auto& [key, node] : top.members) {
      if (key != "preset" || node.kind == RuleNode::Kind::null) continue;
      BERTH_CHECK(need(node, key, RuleNode::Kind::text));
      auto found = rule_preset(node.text);
      if (!found) return rule_file_error(node.line, key, no_preset(node.text).message);
      preset = *std::move(found);
    }
    RuleSpec spec;
    spec.fallback = preset.fallback;
    for (const auto& [key, node] : top.members) {
      if (key == "preset" || node.kind == RuleNode::Kind::null) continue;
      if (key == "default") {
        BERTH_TRY(spec.fallback, action(node, key));
      } else if (const auto operation = operation_named(key)) {
        BERTH_TRY(spec.of(*operation), operation_rules(node, key));
      } else {
        return unknown(node, key, "",
                       std::array<std::string_view, 9>{"preset", "default", "read", "write", "edit", "execute", "glob",
                                                       "grep", "ls"});
      }
    }
    for (const auto operation : kOperations) {
      auto& rules = spec.of(operation);
      const auto& below = preset.of(operation);
      if (!rules.fallback) rules.fallback = below.fallback;
      rules.rules.insert(rules.rules.end(), below.rules.begin(), below.rules.end());
    }
    return spec;
  }

  std::int64_t line_of(const std::string& key) const {
    const auto found = lines_.find(key);
    return found == lines_.end() ? 0 : found->second;
  }

 private:
  Result<OperationRules> operation_rules(const RuleNode& node, const std::string& key) {
    OperationRules rules;
    if (node.kind == RuleNode::Kind::text) {
      BERTH_TRY(rules.fallback, action(node, key));
      return rules;
    }
    if (node.kind != RuleNode::Kind::table) {
      return rule_file_error(node.line, key, "an operation is an action, or a table with `default` and `rules`");
    }
    for (const auto& [name, member] : node.members) {
      if (member.kind == RuleNode::Kind::null) continue;
      const std::string path = key + "." + name;
      if (name == "default") {
        BERTH_TRY(rules.fallback, action(member, path));
      } else if (name == "rules") {
        BERTH_CHECK(need(member, path, RuleNode::Kind::list));
        for (std::size_t i = 0; i < member.items.size(); ++i) {
          BERTH_TRY(auto rule, one_rule(member.items[i], path + "[" + std::to_string(i) + "]"));
          rules.rules.push_back(std::move(rule));
        }
      } else {
        return unknown(member, path, key, std::array<std::string_view, 2>{"default", "rules"});
      }
    }
    return rules;
  }

  Result<Rule> one_rule(const RuleNode& node, const std::string& key) {
    BERTH_CHECK(need(node, key, RuleNode::Kind::table));
    Rule rule;
    bool has_action = false;
    for (const auto& [name, member] : node.members) {
      if (member.kind == RuleNode::Kind::null) continue;
      const std::string path = key + "." + name;
      if (name == "action") {
        BERTH_TRY(rule.action, action(member, path));
        has_action = true;
        continue;
      }
      auto* place = name == "pattern"       ? &rule.pattern
                    : name == "group"       ? &rule.group
                    : name == "description" ? &rule.description
                                            : nullptr;
      if (place == nullptr) {
        return unknown(member, path, key, std::array<std::string_view, 4>{"pattern", "group", "action", "description"});
      }
      BERTH_CHECK(need(member, path, RuleNode::Kind::text));
      *place = member.text;
      lines_[path] = member.line;
    }
    lines_.emplace(key + ".pattern", node.line);
    if (!has_action) {
      return rule_file_error(node.line, key, "a rule needs an `action`: allow, ask or deny");
    }
    return rule;
  }

  static Result<RuleAction> action(const RuleNode& node, const std::string& key) {
    BERTH_CHECK(need(node, key, RuleNode::Kind::text));
    if (const auto found = action_named(node.text)) return *found;
    return rule_file_error(node.line, key, quoted(node.text) + " is no action; write allow, ask or deny");
  }

  static Result<void> need(const RuleNode& node, const std::string& key, RuleNode::Kind kind) {
    if (node.kind == kind) return {};
    const std::string_view wanted = kind == RuleNode::Kind::text    ? "a string"
                                    : kind == RuleNode::Kind::table ? "a table of keys"
                                                                    : "a list of rules";
    return rule_file_error(node.line, key, (key.empty() ? "this must be " : "must be ") + std::string(wanted));
  }

  static Error unknown(const RuleNode& node, const std::string& key, const std::string& parent,
                       std::span<const std::string_view> known) {
    return rule_file_error(
        node.line, key,
        "there is no such key" + (parent.empty() ? "" : " in " + quoted(parent)) + "; write " + one_of(known));
  }

  std::map<std::string, std::int64_t> lines_;
};

Result<std::string> read_file(const std::string& name) {
  os::Fd fd(::open(name.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (!fd) return errno_error(errno, "open the rules");
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return errno_error(errno, "look at the rules");
  if (!S_ISREG(status.st_mode)) return make_error(ErrorCode::not_regular, "rules are read from a regular file");
  std::string text;
  while (text.size() <= kLargestFile) {
    std::array<char, 16 * 1024> piece;
    const auto size = ::read(fd.get(), piece.data(), piece.size());
    if (size == 0) return text;
    if (size < 0 && errno != EINTR) return errno_error(errno, "read the rules");
    if (size > 0) text.append(piece.data(), static_cast<std::size_t>(size));
  }
  return make_error(ErrorCode::too_large, "rules of more than 1 MiB are not read");
}

}  // namespace

Error rule_file_error(std::int64_t line, const std::string& key, std::string message) {
  std::string where;
  if (line > 0) where = "line " + std::to_string(line);
  if (!key.empty()) where += (where.empty() ? "" : ", ") + quoted(key);
  auto error = make_error(ErrorCode::invalid_argument, where.empty() ? std::move(message) : where + ": " + message);
  if (line > 0) std::move(error).with("line", line);
  if (!key.empty()) std::move(error).with("key", key);
  error.hint = "see `berth rules --help` for how rules are written";
  return error;
}

Result<RuleSet> parse_rules(std::string_view text, RuleFormat format) {
  BERTH_TRY(const auto top, format == RuleFormat::toml ? parse_toml_rules(text) : parse_json_rules(text));
  Reader reader;
  BERTH_TRY(auto spec, reader.read(top));
  auto compiled = RuleSet::compile(std::move(spec));
  if (compiled) return compiled;
  const auto* key = compiled.error().field("key");
  const auto* name = key != nullptr ? std::get_if<std::string>(key) : nullptr;
  if (name == nullptr) return compiled;
  return rule_file_error(reader.line_of(*name), *name, compiled.error().message);
}

Result<RuleSet> load_rules(std::string_view name) {
  if (name.starts_with(kPreset)) {
    const auto preset = name.substr(kPreset.size());
    auto spec = rule_preset(preset);
    if (!spec) return no_preset(preset);
    return RuleSet::compile(*std::move(spec));
  }
  const std::string file(name);
  if (!file.ends_with(".toml") && !file.ends_with(".json")) {
    auto error = make_error(ErrorCode::invalid_argument, "rules are a file that ends with .toml or .json, or a preset");
    error.hint = "presets are written preset:default, preset:permissive, preset:readonly and preset:strict";
    return std::move(error).at(name);
  }
  auto text = read_file(file);
  if (!text) {
    auto error = std::move(text).error();
    if (error.code == ErrorCode::not_found) {
      error.message = "there is no such file of rules";
      error.hint = "check the name; presets are written preset:NAME";
    }
    return std::move(error).at(name);
  }
  auto rules = parse_rules(*text, file.ends_with(".toml") ? RuleFormat::toml : RuleFormat::json);
  if (!rules) return std::move(rules).error().at(name);
  return rules;
}

}  // namespace berth
