#pragma once

#include "engine/commands/supervisor/cgroup.h"
#include "engine/commands/supervisor/process_tree.h"

namespace berth::supervisor {

/// Start the job that the engine asks for on a socket, in processes that are nobody's children, and return; the caller
/// exits then.
///
/// A job has two processes of ours, one above the other: the keeper (see job_keeper.h) and its guardian. When the
/// keeper is killed, the job's tree falls to the guardian, which ends it and records that the job is lost. A keeper
/// that is stopped is continued. While the guardian lives, it holds a lock on the file `guard` in the job's directory.
void start_job(int engine, Handles handles, Cgroup& cgroup, bool use_cgroup);

}  // namespace berth::supervisor
