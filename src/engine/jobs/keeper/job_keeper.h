#pragma once

#include "engine/commands/supervisor/cgroup.h"
#include "engine/commands/supervisor/process_tree.h"
#include "engine/jobs/job_wire.h"

namespace berth::supervisor {

/// What a job's keeper works with; all of it is the keeper's from then on.
struct JobSetup {
  int channel = -1;  ///< to the engine that starts the job; only for the answer to the start
  int directory = -1;
  int store = -1;
  int job = -1;
  int stdin_file = -1;  ///< -1: the job gets a pipe or a terminal
  Handles handles = Handles::by_pid;
  Cgroup& cgroup;
  const job_wire::JobStart& start;
  char* const* argv = nullptr;
  char* const* envp = nullptr;
};

/// Start a job, write its journal and its exit record, answer on its `control` socket, and exit when nothing that it
/// started is left.
///
/// Needs nobody: engines come and go. As in `run_keeper`, this process is the sub-reaper of all that the job starts. A
/// running job whose directory is removed can be neither found nor stopped by anybody any more: it is ended.
[[noreturn]] void run_job_keeper(const JobSetup& setup);

}  // namespace berth::supervisor
