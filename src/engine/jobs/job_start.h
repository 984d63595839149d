#pragma once

#include "base/call.h"
#include "contract/jobs.h"
#include "engine/commands/command_environment.h"
#include "os/fd.h"
#include "os/features.h"

namespace berth::engine {

/// What a job is started with; the references must outlive the start.
struct JobLaunch {
  const JobSpec& spec;
  const StringBlock& environment;
  const os::Fd& directory;  ///< to work in
  const os::Fd& store;      ///< the directory of records
  std::int64_t journal_bytes = limits::kJobJournal;
};

enum class JobLaunched { started, exists };

/// Start a job under an id, unless one of that id is there: its record, its two watching processes, its command.
/// Nothing is left of a start that fails, but for `timed_out` and `cancelled`: then the job may be there.
Result<JobLaunched> launch_job(const Call& call, const os::Features& features, const JobLaunch& launch,
                               const JobId& id);

}  // namespace berth::engine
