#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "contract/jobs.h"
#include "os/root.h"

namespace berth::engine {

struct JobOptions {
  /// Where jobs are recorded: an absolute name outside the workspace, on a file system of this machine. Empty: below
  /// `$XDG_STATE_HOME`, `$HOME/.local/state` or `/var/tmp`, the first of them that does not lie in the workspace.
  std::string state_directory;
  /// What every job's environment holds beside the allow-listed variables of this process (C-RUN-1).
  std::vector<std::pair<std::string, Bytes>> env;
  std::int64_t journal_bytes = limits::kJobJournal;
  std::chrono::milliseconds max_age = limits::kJobAge;
  std::size_t max_records = limits::kJobRecords;
};

/// Jobs in one host directory (C-RUN-8), each with two processes of its own that watch it, write its journal and its
/// exit record, and need neither this object nor this process. `key` names the workspace for good: whoever opens it
/// with the same key finds its jobs. Null when every place where records could be kept lies in the workspace.
/// Errors: `invalid_argument` for a state directory that cannot be used.
///
/// Everything that `make_host_commands` says of environment, signals and descriptors holds for jobs. A job is held by
/// nothing but its user's rights: one that kills both processes that watch it is `lost` and escapes its end; when it
/// kills one of them, the other ends it. One whose record is removed by hand is ended.
Result<std::unique_ptr<JobControl>> make_host_jobs(std::shared_ptr<const os::Root> root, const std::string& key,
                                                   JobOptions options);

}  // namespace berth::engine
