#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/real_targets.h"
#include "policy/rules/approval.h"
#include "policy/rules/rule_set.h"
#include "workspace/workspace.h"

namespace berth {

/// One thing that a tool call is about to do to a path.
struct Intent {
  Operation operation = Operation::read;
  std::string path;            ///< as the caller wrote it
  Leaf leaf = Leaf::followed;  ///< `itself`: what removes or moves means a link, not what it leads to

  bool operator==(const Intent&) const = default;
};

/// What the rules say of an intent or a command, and how that came about. Points into the gate, which must outlive it.
struct Judgement {
  Operation operation = Operation::read;  ///< whose rules decided: of a search they may be those of `read`
  RuleVerdict verdict;
  std::string name;  ///< the spelling that the verdict is about: as written, resolved, or real
  std::string real;  ///< where the path leads, from the root; the resolved path when that is not known
};

/// Decides once for each tool call (C-POL-3), before its work.
///
/// A path is judged as written, as resolved and by its real name, and the strictest verdict counts. As written only
/// rules count, no defaults: a spelling is not a place. Denied: `policy_denied`. To be asked about: yes when the
/// conversation holds an approval, of the call or of what it asks about (HeldApprovals), else the approver is asked,
/// else `approval_required`. An approved call goes through.
///
/// A search asks also when it may show lines of files whose reading is asked about.
///
/// What is denied is refused once more when it is opened, by the workspace itself: see `make_ruled`. What is to be
/// asked about is not: a program that exchanges links after the answer can turn an approved call to another file that
/// is not denied. Safe from many threads at once.
class PermissionGate {
 public:
  /// No rules: everything is permitted. Workspace and approver must outlive the gate; without an approver nobody is
  /// asked.
  PermissionGate(Workspace& workspace, std::shared_ptr<const RuleSet> rules, Approver* approver = nullptr);

  const RuleSet* rules() const noexcept { return rules_ ? &*rules_ : nullptr; }
  HeldApprovals& approvals() noexcept { return approvals_; }

  /// `target` is a path as written; of `execute` the whole command.
  Result<void> permit(const Call& call, Operation operation, std::string_view target);
  /// Everything one tool call will do, with one question.
  Result<void> permit(const Call& call, std::span<const Intent> intents);
  Result<void> permit(const Call& call, const CommandSpec& command);
  /// The same where nobody is to be asked: what needs a yes that is not held is `approval_required`.
  Result<void> permit_unasked(const Call& call, const Intent& intent);

  /// What would be decided, without asking anybody. Needs rules. Errors: those of the path.
  Result<Judgement> judge(const Call& call, const Intent& intent) const;
  Judgement judge(const CommandSpec& command) const;

 private:
  Result<std::optional<Path>> real_path(const Call& call, const Path& path, Leaf leaf) const;
  Result<ApprovalRequest> what_to_ask(const Call& call, std::span<const Intent> intents) const;
  bool is_held(const Call& call, const ApprovalRequest& request);
  Result<void> settle(const Call& call, ApprovalRequest request);

  Workspace& workspace_;
  std::optional<RuleSet> rules_;
  Approver* approver_;
  HeldApprovals approvals_;
};

}  // namespace berth
