#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>

#include "base/limits.h"
#include "policy/rules/permission_gate.h"
#include "tools/read_ledger.h"
#include "workspace/git/git_repository.h"
#include "workspace/workspace.h"

namespace berth::tools {

/// What the results of one conversation may be.
struct ToolOptions {
  std::int64_t max_page_bytes = limits::kPageBytes;      ///< text of one result
  std::int64_t max_list_entries = limits::kListEntries;  ///< entries of one listing
  std::int64_t max_image_bytes = limits::kMediaBytes;
  std::int64_t max_document_bytes = limits::kMediaBytes;
  bool images = true;     ///< PNG, JPEG, GIF and WebP come back as images
  bool documents = true;  ///< PDF comes back as text, where the machine can read it

  /// What calls are decided by (C-POL-3); null: everything is permitted. The workspace should be behind `make_ruled`
  /// with the same rules, as `assemble` does it: then what is denied is also refused when it is opened.
  std::shared_ptr<const RuleSet> rules;
  /// Who is asked where rules say so; null: nobody. Must outlive the session.
  Approver* approver = nullptr;
};

/// One conversation with a workspace: what it has read, and what it holds open. Safe from many threads at once.
class ToolSession {
 public:
  /// The workspace must outlive the session.
  explicit ToolSession(Workspace& workspace, ToolOptions options = {});

  Workspace& workspace() noexcept { return workspace_; }
  const ToolOptions& options() const noexcept { return options_; }

  /// What this conversation has read of each file, by the file itself.
  ReadLedger& reads() noexcept { return reads_; }

  /// Ask whether a call may do what it is about to do: once in each tool's call, before it looks at anything. See
  /// `PermissionGate`: `policy_denied`, or `approval_required` when rules ask and nobody said yes.
  /// The target is a path as the caller wrote it; of `execute` the whole command.
  Result<void> permit(const Call& call, Operation operation, std::string_view target) {
    return gate_.permit(call, operation, target);
  }
  /// The same for a call that does several things: one question about all of them.
  Result<void> permit(const Call& call, std::span<const Intent> intents) { return gate_.permit(call, intents); }
  Result<void> permit(const Call& call, const CommandSpec& command) { return gate_.permit(call, command); }

  /// Decides for this conversation, and holds what its user has approved already.
  PermissionGate& gate() noexcept { return gate_; }

  /// The repository around the workspace, with the baseline of the first use. Errors: see `GitRepository::open`.
  Result<git::GitRepository*> git(const Call& call);

 private:
  Workspace& workspace_;
  ToolOptions options_;
  ReadLedger reads_;
  PermissionGate gate_{workspace_, options_.rules, options_.approver};
  std::mutex git_mutex_;
  std::unique_ptr<git::GitRepository> git_;
};

}  // namespace berth::tools
