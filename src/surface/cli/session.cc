#include "surface/cli/session.h"

#include "policy/rules/rule_file.h"

namespace berth::cli {

Result<Workspace*> Session::workspace() {
  if (!workspace_) BERTH_CHECK(open(Asking::is_denied));
  return workspace_.get();
}

Result<void> Session::open(Asking asking) {
  if (!rules.empty()) {
    BERTH_TRY(auto loaded, load_rules(rules));
    if (asking == Asking::is_denied) {
      BERTH_TRY(loaded, RuleSet::compile(denying_what_asks(loaded.spec())));
    }
    config.rules = std::make_shared<const RuleSet>(std::move(loaded));
  }
  BERTH_TRY(workspace_, assemble(config));
  return {};
}

Result<PermissionGate*> Session::gate() {
  if (!gate_) {
    if (!workspace_) BERTH_CHECK(open(Asking::is_for_the_gate));
    if (config.rules) approver_ = TerminalApprover::try_open();
    gate_ = std::make_unique<PermissionGate>(*workspace_, config.rules, approver_.get());
  }
  return gate_.get();
}

namespace {

Result<void> with_hint(Result<void> permitted) {
  if (!permitted && permitted.error().code == ErrorCode::approval_required) {
    permitted.error().hint = kApprovalHint;
  }
  return permitted;
}

}  // namespace

Result<Workspace*> Session::workspace_for(const std::vector<Intent>& intents) {
  BERTH_TRY(auto* decides, gate());
  BERTH_CHECK(with_hint(decides->permit(call(), intents)));
  return workspace_.get();
}

Result<Workspace*> Session::workspace_for(Operation operation, std::string_view path) {
  return workspace_for({{.operation = operation, .path = std::string(path)}});
}

Result<Workspace*> Session::workspace_for_tools() {
  BERTH_CHECK(gate());
  return workspace_.get();
}

Result<void> Session::permit(const CommandSpec& command) {
  BERTH_TRY(auto* decides, gate());
  return with_hint(decides->permit(call(), command));
}

}  // namespace berth::cli
