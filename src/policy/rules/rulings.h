#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/real_targets.h"
#include "policy/rules/rule_set.h"

namespace berth {

/// Rules at the names of one workspace: what they deny there.
class Rulings {
 public:
  Rulings(const RuleSet& rules, std::vector<std::string> root_names)
      : rules_(rules.for_roots(root_names)), root_names_(std::move(root_names)) {}

  const RuleSet& rules() const noexcept { return rules_; }
  const std::vector<std::string>& root_names() const noexcept { return root_names_; }

  bool may_deny(Operation operation) const noexcept { return rules_.may_deny(operation); }
  bool denies(Operation operation, std::string_view path) const {
    return rules_.of_path(operation, path, root_names_).action == RuleAction::deny;
  }
  bool may_pass_below(Operation operation, std::string_view directory) const {
    return rules_.may_pass_below(operation, directory, root_names_);
  }

  Result<void> check(Operation operation, const Path& path) const;
  /// The same for a directory that is listed or searched: what a default denies may hold what a rule passes.
  Result<void> check_base(Operation operation, const Path& base) const;
  /// Whether a path may be described: not when all that could be done with it is denied.
  Result<void> check_facts(const Path& path) const;
  bool may_deny_facts() const noexcept;

 private:
  RuleSet rules_;
  std::vector<std::string> root_names_;
};

/// The faces of a backend behind `make_ruled`. `plain` takes the same paths and is used where nothing can be denied.
/// Rulings, and what is pointed to, must outlive them.
std::unique_ptr<FileReads> make_ruled_reads(RealTargets targets, FileReads& plain, const Rulings& rulings);
std::unique_ptr<FileWrites> make_ruled_writes(RealTargets targets, const Rulings& rulings);
std::unique_ptr<TreeSearch> make_ruled_search(RealTargets targets, TreeSearch& plain, const Rulings& rulings);
std::unique_ptr<FileTransactions> make_ruled_transactions(RealTargets targets, const Rulings& rulings);

/// Refuse a command that the rules deny; `reads`, which may be null, looks up its words.
Result<void> check_command(const Call& call, const CommandSpec& spec, FileReads* reads, const Rulings& rulings);

/// What of a path's write is which operation.
inline Operation operation_of(const WriteSpec& spec) noexcept {
  return spec.when == WriteSpec::When::revision_matches ? Operation::edit : Operation::write;
}

}  // namespace berth
