#pragma once

#include <optional>

#include "engine/jobs/job_record.h"
#include "engine/jobs/job_wire.h"
#include "os/fd.h"
#include "os/wait.h"

namespace berth::engine {

/// How a job is now: its exit record, what its keeper says, or both while processes are left of an ended one.
struct JobObservation {
  std::optional<JobExitRecord> exit;
  std::optional<job_wire::JobStatus> status;

  bool has_ended() const noexcept { return exit.has_value(); }
  JobStreamTotals totals(JobStream stream) const noexcept;
};

/// One recorded job, by its directory. A directory that is forgotten meanwhile stays readable through it as far as it
/// still holds something. One thread.
class Job {
 public:
  /// Open the record of a job in the directory of records. `not_found` when there is none, or none that can be read.
  static Result<Job> open(int store, const JobId& id);

  const JobId& id() const noexcept { return id_; }
  const JobSpecRecord& spec() const noexcept { return spec_; }
  int directory() const noexcept { return directory_.get(); }

  /// Find out how it is. The request goes to the keeper, when there is one, and is waited for until the deadline;
  /// whether there was one to carry it out shows in `status`. A job that has neither a keeper nor an exit record is
  /// lost, and is recorded so. Errors: `timed_out`, `cancelled`, and what the system says.
  Result<JobObservation> observe(const Call& call, const job_wire::JobRequest& request = {},
                                 os::Fd* descriptor = nullptr) const;

  JobInfo describe(const JobObservation& observation) const;

 private:
  Job(JobId id, os::Fd directory, JobSpecRecord spec)
      : id_(std::move(id)), directory_(std::move(directory)), spec_(std::move(spec)) {}

  Result<std::optional<JobExitRecord>> read_exit() const;
  Result<bool> has_guardian() const;
  Result<JobExitRecord> record_loss() const;

  JobId id_;
  os::Fd directory_;
  JobSpecRecord spec_;
};

/// What is said of an id that names no job.
Error no_such_job();

}  // namespace berth::engine
