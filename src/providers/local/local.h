#pragma once

#include <memory>
#include <optional>

#include "engine/commands/host_commands.h"
#include "engine/files/host_files.h"
#include "engine/jobs/host_jobs.h"
#include "engine/transactions/host_transactions.h"
#include "engine/tree/host_search.h"
#include "os/features.h"
#include "os/root.h"
#include "workspace/backend.h"

namespace berth::local {

struct LocalOptions {
  os::LinkPolicy links = os::LinkPolicy::follow_inside;
  os::Features features;
  engine::FileOptions files;
  engine::SearchOptions search;
  engine::CommandOptions commands;
  engine::JobOptions jobs;  ///< `env` is that of `commands`
};

/// Open a host directory as an environment. The directory is pinned here, by descriptor; a directory deleted later is
/// `environment_gone`, also when another one takes its name. The ref is known from the start: the absolute name with
/// the directory's incarnation (inode and birth time). Commands run as the caller's user, unconfined (see SECURITY.md).
/// Whoever opens the same directory again finds its jobs. Where all places for their records lie in the directory, no
/// jobs are offered. Errors: `not_found`, `not_a_directory`, `permission_denied`, those of `make_host_jobs`.
Result<std::unique_ptr<Backend>> open_local(const os::HostPath& directory, LocalOptions options);

/// Attach by a ref that `open_local` gave. Errors: `foreign_ref` when it is not one, `environment_gone` when the
/// directory is missing or is not the one the ref was given for.
Result<std::unique_ptr<Backend>> attach_local(const WorkspaceRef& ref, LocalOptions options);

}  // namespace berth::local
