#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "base/limits.h"
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

  /// The repository around the workspace, with the baseline of the first use. Errors: see `GitRepository::open`.
  Result<git::GitRepository*> git(const Call& call);

 private:
  Workspace& workspace_;
  ToolOptions options_;
  ReadLedger reads_;
  std::mutex git_mutex_;
  std::unique_ptr<git::GitRepository> git_;
};

}  // namespace berth::tools
