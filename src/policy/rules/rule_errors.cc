#include "policy/rules/rule_errors.h"

#include <string>

namespace berth {
namespace {

/// A sentence's end is the renderer's.
std::string with_reason(std::string message, std::string_view reason) {
  while (reason.ends_with('.') || reason.ends_with(' ') || reason.ends_with('\n')) reason.remove_suffix(1);
  if (!reason.empty()) message.append(": ").append(reason);
  return message;
}

Error about(const ApprovalTarget& target, ErrorCode code, std::string message) {
  auto error = make_error(code, std::move(message))
                   .with("policy", "rules")
                   .with("operation", std::string(operation_name(target.operation)));
  if (target.operation != Operation::execute) error = Error(std::move(error).at(target.target));
  return error;
}

}  // namespace

std::string_view doing(Operation operation) noexcept {
  switch (operation) {
    case Operation::read: return "reading this path";
    case Operation::write: return "writing this path";
    case Operation::edit: return "editing this path";
    case Operation::execute: return "running this command";
    case Operation::glob: return "finding files here";
    case Operation::grep: return "searching here";
    case Operation::ls: return "listing this path";
  }
  return "this";
}

Error denied_by_rule(Operation operation, const RuleVerdict& verdict) {
  auto error = make_error(ErrorCode::policy_denied,
                          with_reason("the rules deny " + std::string(doing(operation)), verdict.description))
                   .with("policy", "rules")
                   .with("operation", std::string(operation_name(operation)));
  if (verdict.rule != nullptr) {
    std::move(error).with("rule", verdict.rule->group.empty() ? verdict.rule->pattern : verdict.rule->group);
  }
  error.hint = "work without it, or ask whoever wrote the rules";
  return error;
}

Error approval_required(const ApprovalRequest& request) {
  const auto& first = request.targets.front();
  auto error = about(first, ErrorCode::approval_required,
                     with_reason(std::string(doing(first.operation)) + " needs approval", first.description));
  std::move(error).with("target", first.target);
  std::vector<std::string> keys;
  std::vector<std::string> targets;
  for (const auto& target : request.targets) {
    keys.push_back(target.key());
    targets.push_back(std::string(operation_name(target.operation)) + " " + target.target);
  }
  if (targets.size() > 1) std::move(error).with("targets", std::move(targets));
  if (!first.pattern.empty()) std::move(error).with("rule", first.pattern);
  std::move(error).with("approvals", std::move(keys));
  error.hint = "ask the user; when the answer is yes, make the same call again with the approval";
  return error;
}

Error approval_refused(const ApprovalRequest& request, std::string_view reason) {
  const auto& first = request.targets.front();
  auto error = about(first, ErrorCode::policy_denied,
                     with_reason("the user refused " + std::string(doing(first.operation)), reason))
                   .with("target", first.target)
                   .with("refused", "true");
  error.hint = "do not try it another way; ask what to do instead";
  return error;
}

}  // namespace berth
