#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth {

/// What a tool call does, as permission rules see it (C-POL-3).
///
/// `write` makes, overwrites, moves or removes; `edit` changes a file that exists, compared by its revision; `glob`
/// finds files by name, `grep` by content; `ls` lists one directory.
enum class Operation : std::uint8_t { read, write, edit, execute, glob, grep, ls };

inline constexpr std::array kOperations{Operation::read, Operation::write, Operation::edit, Operation::execute,
                                        Operation::glob, Operation::grep,  Operation::ls};

std::string_view operation_name(Operation operation) noexcept;
std::optional<Operation> operation_named(std::string_view name) noexcept;

/// What a rule says, from the mildest to the strictest.
enum class RuleAction : std::uint8_t { allow, ask, deny };

std::string_view action_name(RuleAction action) noexcept;
std::optional<RuleAction> action_named(std::string_view name) noexcept;

/// One rule: a pattern or a named group of patterns, and what it says of what matches.
struct Rule {
  std::string pattern;  ///< see `RulePattern`; empty when a group is meant
  std::string group;    ///< see `rule_group`; empty when a pattern is meant
  RuleAction action = RuleAction::deny;
  std::string description;  ///< a sentence for who is refused or asked; may be empty

  bool operator==(const Rule&) const = default;
};

/// What is said of one operation. The first rule that matches decides, then `fallback`, then that of the whole set.
struct OperationRules {
  std::optional<RuleAction> fallback;
  std::vector<Rule> rules;

  bool operator==(const OperationRules&) const = default;
};

/// Permission rules as they are written: a plain value. `RuleSet` is what decides.
struct RuleSpec {
  RuleAction fallback = RuleAction::ask;
  std::array<OperationRules, kOperations.size()> operations;

  OperationRules& of(Operation operation) { return operations[static_cast<std::size_t>(operation)]; }
  const OperationRules& of(Operation operation) const { return operations[static_cast<std::size_t>(operation)]; }

  bool operator==(const RuleSpec&) const = default;
};

/// The same rules for who asks nobody: what they ask about is denied.
RuleSpec denying_what_asks(RuleSpec spec);

/// A group of patterns that rules can name.
struct RuleGroup {
  std::string_view name;
  std::string_view description;  ///< used when the rule has none
  std::span<const std::string_view> patterns;
  bool of_commands = false;  ///< its patterns match commands, not paths
};

/// Every group: `secrets` (keys, credentials, environment files), `system` (directories of the system, by their
/// absolute names; they say nothing of a workspace that lies inside one of them), `dangerous` (commands that destroy a
/// machine).
std::span<const RuleGroup> rule_groups() noexcept;
const RuleGroup* rule_group(std::string_view name) noexcept;

/// The names of the presets, `default` first.
std::span<const std::string_view> rule_preset_names() noexcept;

/// `default`: reading is allowed, writing, editing and commands are asked about, secrets and dangerous commands denied.
/// `permissive`: all is allowed but secrets, dangerous commands, and writing to directories of the system.
/// `readonly`: reading, listing and searching only, secrets denied.
/// `strict`: everything is asked about, secrets denied.
std::optional<RuleSpec> rule_preset(std::string_view name);

}  // namespace berth
