#include "tools/tool_session.h"

#include <utility>

namespace berth::tools {

ToolSession::ToolSession(Workspace& workspace, ToolOptions options)
    : workspace_(workspace), options_(std::move(options)) {}

Result<git::GitRepository*> ToolSession::git(const Call& call) {
  // Held while opening: the second of two first users waits for the one baseline.
  const std::unique_lock lock(git_mutex_);
  if (!git_) {
    BERTH_TRY(git_, git::GitRepository::open(call, workspace_));
  }
  return git_.get();
}

}  // namespace berth::tools
