#pragma once

#include <memory>
#include <optional>

#include "engine/host/host_environment.h"
#include "workspace/backend.h"

namespace berth::local {

using LocalOptions = engine::HostOptions;

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
