#pragma once

#include <memory>

#include "os/fd.h"
#include "policy/rules/approval.h"

namespace berth::cli {

/// Puts what rules ask about to the user at the terminal: operation and target, `y` or `yes` is a yes for this call,
/// anything else a no. One question at a time.
class TerminalApprover final : public Approver {
 public:
  /// Null when nobody can be asked: the program has no terminal, or what it says does not go to one.
  static std::unique_ptr<TerminalApprover> try_open();

  Result<Approval> approve(const Call& call, const ApprovalRequest& request) override;

 private:
  explicit TerminalApprover(os::Fd terminal) : terminal_(std::move(terminal)) {}

  Result<std::string> ask(const Call& call, std::string_view question);

  std::mutex asking_;
  os::Fd terminal_;
};

}  // namespace berth::cli
