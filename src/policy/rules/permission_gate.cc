#include "policy/rules/permission_gate.h"

#include <utility>

#include "policy/rules/command_text.h"
#include "policy/rules/rule_errors.h"

namespace berth {
namespace {

/// Keeps the strictest of several verdicts; of equal ones the first.
void consider(Judgement& judgement, Operation operation, const RuleVerdict& verdict, std::string_view name) {
  if (verdict.action <= judgement.verdict.action) return;
  judgement.operation = operation;
  judgement.verdict = verdict;
  judgement.name = name;
}

/// Of a directory that is listed or searched, what rules pass below it counts.
RuleVerdict verdict_on(const RuleSet& rules, Operation operation, std::string_view path,
                       std::span<const std::string> roots) {
  const bool is_base = operation == Operation::glob || operation == Operation::grep || operation == Operation::ls;
  return is_base ? rules.of_base(operation, path, roots) : rules.of_path(operation, path, roots);
}

ApprovalTarget target_of(const Judgement& judgement, std::string target, Operation operation) {
  return {.operation = operation,
          .target = std::move(target),
          .real = judgement.real,
          .pattern = std::string(judgement.verdict.pattern),
          .description = std::string(judgement.verdict.description)};
}

}  // namespace

PermissionGate::PermissionGate(Workspace& workspace, std::shared_ptr<const RuleSet> rules, Approver* approver)
    : workspace_(workspace), approver_(approver) {
  if (rules) rules_ = rules->for_roots(workspace.info().root_names);
}

Result<void> PermissionGate::permit(const Call& call, Operation operation, std::string_view target) {
  if (operation == Operation::execute) {
    CommandSpec command;
    command.script = target;
    return permit(call, command);
  }
  const Intent intent{.operation = operation, .path = std::string(target)};
  return permit(call, std::span(&intent, 1));
}

Result<void> PermissionGate::permit(const Call& call, std::span<const Intent> intents) {
  if (!rules_) return {};
  BERTH_TRY(auto request, what_to_ask(call, intents));
  return settle(call, std::move(request));
}

Result<void> PermissionGate::permit_unasked(const Call& call, const Intent& intent) {
  if (!rules_) return {};
  BERTH_TRY(const auto request, what_to_ask(call, std::span(&intent, 1)));
  if (is_held(call, request)) return {};
  return approval_required(request);
}

Result<ApprovalRequest> PermissionGate::what_to_ask(const Call& call, std::span<const Intent> intents) const {
  ApprovalRequest request;
  for (const auto& intent : intents) {
    BERTH_TRY(const auto judgement, judge(call, intent));
    switch (judgement.verdict.action) {
      case RuleAction::allow: break;
      case RuleAction::ask: request.targets.push_back(target_of(judgement, intent.path, intent.operation)); break;
      case RuleAction::deny: return denied_by_rule(intent.operation, judgement.verdict).at(intent.path);
    }
  }
  return request;
}

Result<void> PermissionGate::permit(const Call& call, const CommandSpec& command) {
  if (!rules_) return {};
  const auto judgement = judge(command);
  if (judgement.verdict.action == RuleAction::allow) return {};
  if (judgement.verdict.action == RuleAction::deny) return denied_by_rule(Operation::execute, judgement.verdict);
  return settle(call, {{target_of(judgement, command_text(command), Operation::execute)}});
}

bool PermissionGate::is_held(const Call& call, const ApprovalRequest& request) {
  return request.targets.empty() || approvals_.covers_call(call.trace_id) || approvals_.take(request.targets);
}

Result<void> PermissionGate::settle(const Call& call, ApprovalRequest request) {
  if (is_held(call, request)) return {};
  if (approver_ == nullptr) return approval_required(request);
  BERTH_TRY(const auto approval, approver_->approve(call, request));
  switch (approval.answer) {
    case Approval::Answer::refused: return approval_refused(request, approval.reason);
    case Approval::Answer::once: return {};
    case Approval::Answer::for_session:
      for (const auto& target : request.targets) approvals_.grant(target.key(), HeldApprovals::Use::always);
      return {};
  }
  return approval_required(request);
}

Result<std::optional<Path>> PermissionGate::real_path(const Call& call, const Path& path, Leaf leaf) const {
  if (path.is_root() || !workspace_.capabilities().read_files) return std::optional(path);
  const bool itself = leaf == Leaf::itself;
  auto real = workspace_.real_path(call, itself ? path.parent().text() : path.text());
  if (real) return std::optional(itself ? real->child(path.name()) : *real);
  // What is not there is told by the operation itself; whatever else is wrong is wrong for it too.
  if (real.error().code == ErrorCode::not_found) return std::optional<Path>();
  return std::move(real).error();
}

Result<Judgement> PermissionGate::judge(const Call& call, const Intent& intent) const {
  const auto& roots = workspace_.info().root_names;
  BERTH_TRY(const Path resolved, workspace_.resolve(intent.path));
  Judgement judgement{.operation = intent.operation,
                      .verdict = verdict_on(*rules_, intent.operation, resolved.text(), roots),
                      .name = resolved.text(),
                      .real = resolved.text()};
  const bool search = intent.operation == Operation::grep && rules_->may_ask(Operation::read);
  if (!search && !rules_->has_rules(intent.operation)) return judgement;
  if (const auto written = rules_->of_text(intent.operation, intent.path)) {
    consider(judgement, intent.operation, *written, intent.path);
  }
  auto real = real_path(call, resolved, intent.leaf);
  if (!real) {
    auto error = std::move(real).error();
    error.path = intent.path;
    return error;
  }
  if (*real) {
    judgement.real = (*real)->text();
    consider(judgement, intent.operation, verdict_on(*rules_, intent.operation, judgement.real, roots), judgement.real);
  }
  if (search) {
    for (const auto& name : {resolved.text(), judgement.real}) {
      if (const auto asks = rules_->ask_at_or_below(Operation::read, name, roots)) {
        consider(judgement, Operation::read, *asks, name);
      }
    }
  }
  return judgement;
}

Judgement PermissionGate::judge(const CommandSpec& command) const {
  Judgement judgement{
      .operation = Operation::execute, .verdict = {.action = RuleAction::allow}, .name = {}, .real = {}};
  bool first = true;
  for (auto& text : command_texts(command)) {
    const auto verdict = rules_->of_command(text);
    if (std::exchange(first, false)) {
      judgement.verdict = verdict;
      judgement.name = std::move(text);
    } else {
      consider(judgement, Operation::execute, verdict, text);
    }
  }
  return judgement;
}

}  // namespace berth
