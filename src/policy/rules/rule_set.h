#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "path/rule_pattern.h"
#include "policy/rules/rule_spec.h"

namespace berth {

/// What the rules say of one name, and which of them said it. Points into the RuleSet, which must outlive it.
struct RuleVerdict {
  RuleAction action = RuleAction::deny;
  const Rule* rule = nullptr;    ///< null: a default decided
  std::size_t index = 0;         ///< of the rule among those of its operation
  std::string_view pattern;      ///< that matched; of a group the member
  bool by_operation = false;     ///< without a rule: the operation's default decided, not that of the set
  std::string_view description;  ///< of the rule, or else of its group

  bool operator==(const RuleVerdict&) const = default;
};

/// Decides what permission rules say of paths and commands (C-POL-3): the first rule that matches, then the default of
/// the operation, then that of the set.
///
/// A pattern that starts with a slash is matched against absolute names, any other against the root-relative path;
/// the root is `.`. Patterns of `execute` are matched against the whole command. Immutable; cheap to copy; safe from
/// many threads; time is that of `RulePattern`.
class RuleSet {
 public:
  /// Compile. `invalid_argument` for what would guard nothing: an empty pattern, one with a reversed range, one for
  /// paths that starts with `./` or `~`, ends with a slash or holds `..`, an unknown group, a group of commands among
  /// rules for paths or the other way round. The field `key` names the rule, as `write.rules[2].pattern`.
  static Result<RuleSet> compile(RuleSpec spec);

  const RuleSpec& spec() const noexcept { return *spec_; }

  /// Decide on a path inside a workspace whose root has these absolute names, none of which ends with a slash but `/`.
  RuleVerdict of_path(Operation operation, std::string_view path, std::span<const std::string> root_names) const;

  /// What a rule says of a text as a caller wrote it, whatever it means; nothing when none matches. `execute` is not
  /// asked about paths.
  std::optional<RuleVerdict> of_text(Operation operation, std::string_view as_written) const;

  /// Decide on a whole command.
  RuleVerdict of_command(std::string_view command) const;

  /// Decide on a directory that is listed or searched: as `of_path`, but where only a default denies it and rules pass
  /// something below, the strictest of those rules decides.
  RuleVerdict of_base(Operation operation, std::string_view directory, std::span<const std::string> root_names) const;

  /// What asks about a path, or about something that may lie below it; nothing when all of it is allowed or denied.
  std::optional<RuleVerdict> ask_at_or_below(Operation operation, std::string_view path,
                                             std::span<const std::string> root_names) const;

  /// Whether any path or command could be denied, or asked about, at all.
  bool may_deny(Operation operation) const noexcept { return may(operation, RuleAction::deny); }
  bool may_ask(Operation operation) const noexcept { return may(operation, RuleAction::ask); }
  /// Whether there is any rule, so that it matters which path or command it is.
  bool has_rules(Operation operation) const noexcept { return !entries(operation).empty(); }

  /// Whether something below a directory could be other than denied; may say yes in doubt, never no. A walk that
  /// looks for what is not denied enters the directory then.
  bool may_pass_below(Operation operation, std::string_view directory, std::span<const std::string> root_names) const;

  /// Whether a tool for the operation is worth offering: not when all of it is denied.
  bool offers(Operation operation) const noexcept;

  /// The same rules for one workspace: the group `system` is silent about a directory that the workspace lies in.
  RuleSet for_roots(std::span<const std::string> root_names) const;

 private:
  struct Entry {
    std::size_t index = 0;  ///< of the rule
    std::string pattern;
    RulePattern compiled;
    bool absolute = false;
  };

  /// How much of what lies below a directory an entry matches; `some` in doubt.
  enum class Below : std::uint8_t { none, some, all };

  explicit RuleSet(std::shared_ptr<const RuleSpec> spec) : spec_(std::move(spec)) {}

  const std::vector<Entry>& entries(Operation operation) const {
    return (*entries_)[static_cast<std::size_t>(operation)];
  }
  const Rule& rule(Operation operation, const Entry& entry) const { return spec_->of(operation).rules[entry.index]; }
  RuleAction fallback(Operation operation) const noexcept {
    return spec_->of(operation).fallback.value_or(spec_->fallback);
  }
  bool may(Operation operation, RuleAction action) const noexcept;
  static Below below(const Entry& entry, std::string_view directory, std::span<const std::string> root_names);
  RuleVerdict verdict_of(Operation operation, const Entry& entry) const;
  RuleVerdict default_verdict(Operation operation) const;

  using Entries = std::array<std::vector<Entry>, kOperations.size()>;

  std::shared_ptr<const RuleSpec> spec_;
  std::shared_ptr<const Entries> entries_;
};

}  // namespace berth
