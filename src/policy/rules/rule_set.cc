#include "policy/rules/rule_set.h"

#include <algorithm>
#include <utility>

namespace berth {
namespace {

std::string absolute_name(std::string_view root, std::string_view path) {
  std::string name(root);
  if (path == ".") return name;
  if (!name.ends_with('/')) name += '/';
  return name.append(path);
}

/// Why a pattern for paths can match none; nothing when it can.
std::optional<std::string> fault_of_path_pattern(std::string_view pattern) {
  if (pattern.starts_with("./")) {
    return "paths are compared without a leading `./`; write `" + std::string(pattern.substr(2)) + "`";
  }
  if (pattern.starts_with('~')) return "`~` stands for no directory here; write the absolute name";
  if (pattern.size() > 1 && pattern.ends_with('/')) {
    return "paths have no slash at the end; write `" + std::string(pattern) + "**` for what is in the directory";
  }
  if (pattern == ".." || pattern.starts_with("../") || pattern.ends_with("/..") ||
      pattern.find("/../") != std::string_view::npos) {
    return "paths are compared without `..`; write where it leads to";
  }
  return std::nullopt;
}

Error bad_rule(Operation operation, std::size_t index, std::string_view key, std::string message) {
  return make_error(ErrorCode::invalid_argument, std::move(message))
      .with("key",
            std::string(operation_name(operation)) + ".rules[" + std::to_string(index) + "]." + std::string(key));
}

/// Whether what a pattern begins with, up to its first wildcard, leaves room for something below a directory.
bool may_match_below(std::string_view pattern, std::string_view directory) {
  const auto literal = pattern.substr(0, pattern.find_first_of("*?["));
  const std::string below = directory == "." ? std::string() : absolute_name(directory, "");
  const auto common = std::min(literal.size(), below.size());
  return literal.substr(0, common) == std::string_view(below).substr(0, common);
}

}  // namespace

Result<RuleSet> RuleSet::compile(RuleSpec spec) {
  RuleSet compiled(std::make_shared<const RuleSpec>(std::move(spec)));
  auto entries = std::make_shared<Entries>();
  for (const auto operation : kOperations) {
    const bool of_commands = operation == Operation::execute;
    auto& list = (*entries)[static_cast<std::size_t>(operation)];
    const auto& rules = compiled.spec_->of(operation).rules;
    for (std::size_t i = 0; i < rules.size(); ++i) {
      const auto& rule = rules[i];
      if (!rule.group.empty()) {
        const auto* group = rule_group(rule.group);
        if (group == nullptr || !rule.pattern.empty() || group->of_commands != of_commands) {
          return bad_rule(operation, i, "group",
                          group == nullptr        ? "there is no group `" + rule.group + "`"
                          : !rule.pattern.empty() ? "a rule has a pattern or a group, not both"
                          : group->of_commands    ? "`" + rule.group + "` is a group of commands, for `execute`"
                                                  : "`" + rule.group + "` is a group of paths, not for `execute`");
        }
        for (const auto pattern : group->patterns) {
          list.push_back({i, std::string(pattern), RulePattern(pattern), pattern.starts_with('/')});
        }
        continue;
      }
      if (rule.pattern.empty()) return bad_rule(operation, i, "pattern", "a rule needs a pattern or a group");
      RulePattern pattern(rule.pattern);
      if (!pattern.is_valid()) {
        return bad_rule(operation, i, "pattern", "the range in `" + rule.pattern + "` is reversed");
      }
      if (!of_commands) {
        if (auto fault = fault_of_path_pattern(rule.pattern)) {
          return bad_rule(operation, i, "pattern", "`" + rule.pattern + "` matches nothing: " + *fault);
        }
      }
      list.push_back({i, rule.pattern, std::move(pattern), rule.pattern.starts_with('/')});
    }
  }
  compiled.entries_ = std::move(entries);
  return compiled;
}

RuleVerdict RuleSet::verdict_of(Operation operation, const Entry& entry) const {
  const auto& decided = rule(operation, entry);
  std::string_view description = decided.description;
  if (description.empty() && !decided.group.empty()) description = rule_group(decided.group)->description;
  return {.action = decided.action,
          .rule = &decided,
          .index = entry.index,
          .pattern = entry.pattern,
          .by_operation = true,
          .description = description};
}

RuleVerdict RuleSet::default_verdict(Operation operation) const {
  return {.action = fallback(operation), .by_operation = spec_->of(operation).fallback.has_value()};
}

RuleVerdict RuleSet::of_path(Operation operation, std::string_view path,
                             std::span<const std::string> root_names) const {
  for (const auto& entry : entries(operation)) {
    const bool matches =
        entry.absolute ? std::ranges::any_of(
                             root_names,
                             [&](const std::string& root) { return entry.compiled.matches(absolute_name(root, path)); })
                       : entry.compiled.matches(path);
    if (matches) return verdict_of(operation, entry);
  }
  return default_verdict(operation);
}

std::optional<RuleVerdict> RuleSet::of_text(Operation operation, std::string_view as_written) const {
  for (const auto& entry : entries(operation)) {
    if (entry.compiled.matches(as_written)) return verdict_of(operation, entry);
  }
  return std::nullopt;
}

RuleVerdict RuleSet::of_command(std::string_view command) const {
  const auto verdict = of_text(Operation::execute, command);
  return verdict ? *verdict : default_verdict(Operation::execute);
}

bool RuleSet::may(Operation operation, RuleAction action) const noexcept {
  return fallback(operation) == action || std::ranges::any_of(entries(operation), [&](const Entry& entry) {
           return rule(operation, entry).action == action;
         });
}

RuleSet::Below RuleSet::below(const Entry& entry, std::string_view directory, std::span<const std::string> root_names) {
  const auto of_name = [&](std::string_view name) {
    if (entry.pattern == "**") return Below::all;
    // `P/**` matches all below what P matches, so one name below tells of all of them.
    const std::string one = name == "." ? "x" : absolute_name(name, "x");
    if (entry.pattern.ends_with("/**") && entry.compiled.matches(one)) return Below::all;
    return may_match_below(entry.pattern, name) ? Below::some : Below::none;
  };
  if (!entry.absolute) return of_name(directory);
  auto most = Below::none;
  for (const auto& root : root_names) most = std::max(most, of_name(absolute_name(root, directory)));
  return most;
}

bool RuleSet::may_pass_below(Operation operation, std::string_view directory,
                             std::span<const std::string> root_names) const {
  for (const auto& entry : entries(operation)) {
    const auto matched = below(entry, directory, root_names);
    const bool denies = rule(operation, entry).action == RuleAction::deny;
    if (denies ? matched == Below::all : matched != Below::none) return !denies;
  }
  return fallback(operation) != RuleAction::deny;
}

RuleVerdict RuleSet::of_base(Operation operation, std::string_view directory,
                             std::span<const std::string> root_names) const {
  const auto verdict = of_path(operation, directory, root_names);
  if (verdict.action != RuleAction::deny || verdict.rule != nullptr) return verdict;
  std::optional<RuleVerdict> strictest;
  for (const auto& entry : entries(operation)) {
    const auto matched = below(entry, directory, root_names);
    const auto action = rule(operation, entry).action;
    if (action != RuleAction::deny && matched != Below::none && (!strictest || action > strictest->action)) {
      strictest = verdict_of(operation, entry);
    }
    if (matched == Below::all) break;
  }
  return strictest.value_or(verdict);
}

std::optional<RuleVerdict> RuleSet::ask_at_or_below(Operation operation, std::string_view path,
                                                    std::span<const std::string> root_names) const {
  const auto at = of_path(operation, path, root_names);
  if (at.action == RuleAction::ask) return at;
  for (const auto& entry : entries(operation)) {
    const auto matched = below(entry, path, root_names);
    if (matched != Below::none && rule(operation, entry).action == RuleAction::ask) return verdict_of(operation, entry);
    if (matched == Below::all) return std::nullopt;
  }
  if (fallback(operation) == RuleAction::ask) return default_verdict(operation);
  return std::nullopt;
}

bool RuleSet::offers(Operation operation) const noexcept {
  return fallback(operation) != RuleAction::deny ||
         std::ranges::any_of(spec_->of(operation).rules,
                             [](const Rule& rule) { return rule.action != RuleAction::deny; });
}

RuleSet RuleSet::for_roots(std::span<const std::string> root_names) const {
  RuleSet placed(spec_);
  auto kept = std::make_shared<Entries>(*entries_);
  for (const auto operation : kOperations) {
    std::erase_if((*kept)[static_cast<std::size_t>(operation)], [&](const Entry& entry) {
      return rule(operation, entry).group == "system" && std::ranges::any_of(root_names, [&](const std::string& root) {
               return entry.compiled.matches(absolute_name(root, "x"));
             });
    });
  }
  placed.entries_ = std::move(kept);
  return placed;
}

}  // namespace berth
