#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/call.h"
#include "policy/rules/permission_gate.h"
#include "surface/assemble.h"
#include "surface/cli/console.h"
#include "surface/cli/signals.h"
#include "surface/cli/terminal_approver.h"

namespace berth::cli {

/// What to do where rules ask and there is no terminal.
inline constexpr const char* kApprovalHint =
    "call it from a terminal, where the user can be asked, or let the rules allow it";

/// One run of the program: the options before the verb, and what the verb needs to do its work.
struct Session {
  WorkspaceConfig config;
  std::string color = "auto";  ///< auto, always or never
  bool json = false;
  std::string rules;  ///< a file or `preset:NAME`; empty: none

  Console console;
  SignalWatch signals;

  /// What the chosen verb does; gives the exit code.
  std::function<Result<int>()> action;
  /// The words after `--` of `run` and `jobs start`.
  std::vector<std::string> command_words;

  /// A call that SIGINT and SIGTERM stop.
  Call call() const { return Call{Deadline::never(), signals.token(), {}}; }

  /// Open the workspace, once, for a verb that asks nobody: what rules would ask about is denied.
  Result<Workspace*> workspace();

  /// Open it for a verb that does these things, once rules and the user, where they ask, permit it.
  Result<Workspace*> workspace_for(const std::vector<Intent>& intents);
  Result<Workspace*> workspace_for(Operation operation, std::string_view path);
  /// The same for a command.
  Result<void> permit(const CommandSpec& command);

  /// Open it for tools: they ask for permission themselves, by `config.rules`.
  Result<Workspace*> workspace_for_tools();
  /// Who asks the user; null when nobody can be asked, or before the workspace is open.
  Approver* approver() noexcept { return approver_.get(); }

  /// Decides by the rules; opens the workspace.
  Result<PermissionGate*> gate();

 private:
  enum class Asking { is_denied, is_for_the_gate };
  Result<void> open(Asking asking);

  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<TerminalApprover> approver_;
  std::unique_ptr<PermissionGate> gate_;
};

}  // namespace berth::cli
