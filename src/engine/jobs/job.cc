#include "engine/jobs/job.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "engine/jobs/job_store.h"
#include "engine/jobs/journal_reader.h"
#include "engine/jobs/keeper_connection.h"

namespace berth::engine {
namespace {

constexpr std::size_t kMaxSpecBytes = 64 * 1024 * 1024;
constexpr std::size_t kMaxExitBytes = 64 * 1024;
constexpr std::chrono::milliseconds kSettlePause{2};

std::chrono::sys_time<std::chrono::milliseconds> now() {
  return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

}  // namespace

Error no_such_job() {
  auto error = make_error(ErrorCode::not_found, "there is no job with this id; it may have been forgotten");
  error.hint = "the list of jobs says which there are";
  return error;
}

JobStreamTotals JobObservation::totals(JobStream stream) const noexcept {
  if (exit) return stream == JobStream::out ? exit->out : exit->err;
  if (!status) return {};
  const auto index = static_cast<std::size_t>(stream);
  return {.total_bytes = status->total_bytes[index], .dropped_bytes = status->dropped_bytes[index]};
}

Result<Job> Job::open(int store, const JobId& id) {
  if (store < 0 || !is_job_name(id.text)) return no_such_job();
  os::Fd directory(::openat(store, id.text.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (!directory) {
    if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP) return no_such_job();
    return errno_error(errno, "open the record of the job");
  }
  BERTH_TRY(const auto text, read_small_file(directory.get(), job_wire::kSpecName, kMaxSpecBytes));
  auto spec = text ? parse_spec_record(*text) : std::nullopt;
  if (!spec) return no_such_job();
  return Job(id, std::move(directory), *std::move(spec));
}

Result<JobObservation> Job::observe(const Call& call, const job_wire::JobRequest& request, os::Fd* descriptor) const {
  const os::Wakeup wakeup(call.stop);
  while (true) {
    BERTH_CHECK(call.check());
    BERTH_TRY(auto keeper, KeeperConnection::open(call, directory()));
    if (keeper) {
      keeper->send(request);
      BERTH_TRY(const auto status, keeper->receive(call.deadline, wakeup, descriptor));
      // It left meanwhile: what it left behind tells the rest.
      if (!status) continue;
      JobObservation seen{.exit = {}, .status = status};
      if (status->ended == 0) return seen;
      BERTH_TRY(seen.exit, read_exit());
      if (!seen.exit) {
        BERTH_TRY(seen.exit, record_loss());
      }
      return seen;
    }
    BERTH_TRY(const bool guarded, has_guardian());
    BERTH_TRY(auto exit, read_exit());
    if (!exit && guarded) {
      // Its guardian ends what a killed keeper left, and records that; or the keeper is just leaving.
      BERTH_CHECK(os::pause(call, kSettlePause));
      continue;
    }
    // Looked at after the guardian, who writes first and leaves then.
    if (!exit) {
      BERTH_TRY(exit, record_loss());
    }
    return JobObservation{.exit = std::move(exit), .status = {}};
  }
}

Result<std::optional<JobExitRecord>> Job::read_exit() const {
  BERTH_TRY(const auto text, read_small_file(directory(), job_wire::kExitName, kMaxExitBytes));
  if (!text) return std::optional<JobExitRecord>();
  auto record = parse_exit_record(*text);
  if (!record) {
    record.emplace();
    record->reason = "its exit record cannot be read";
  }
  if (record->state == JobState::lost && record->out.total_bytes == 0 && record->err.total_bytes == 0) {
    // Whoever recorded that did not count.
    BERTH_TRY(record->out, measure_journal(directory(), JobStream::out));
    BERTH_TRY(record->err, measure_journal(directory(), JobStream::err));
  }
  return record;
}

Result<bool> Job::has_guardian() const {
  const os::Fd guard(::openat(directory(), job_wire::kGuardName, O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!guard) return false;
  if (::flock(guard.get(), LOCK_SH | LOCK_NB) == 0) return false;
  return errno == EWOULDBLOCK;
}

Result<JobExitRecord> Job::record_loss() const {
  // The first file that goes when a job is forgotten.
  if (::faccessat(directory(), job_wire::kSpecName, F_OK, 0) != 0) return no_such_job();
  JobExitRecord record;
  record.ended_at = now();
  const auto boot_id = current_boot_id();
  record.reason = !spec_.boot_id.empty() && boot_id != spec_.boot_id
                      ? "the machine was restarted while it ran"
                      : "the processes that watched it were killed, and how it ended is not known";
  BERTH_TRY(record.out, measure_journal(directory(), JobStream::out));
  BERTH_TRY(record.err, measure_journal(directory(), JobStream::err));
  // So that everybody after us says the same, and it grows old. A link never replaces what somebody else found.
  const std::string temp = "lost." + random_digits(16);
  if (write_new_file(directory(), temp.c_str(), render(record))) {
    ::linkat(directory(), temp.c_str(), directory(), job_wire::kExitName, 0);
  }
  ::unlinkat(directory(), temp.c_str(), 0);
  const auto recorded = read_exit();
  return recorded && *recorded ? **recorded : record;
}

JobInfo Job::describe(const JobObservation& observation) const {
  JobInfo info;
  info.id = id_;
  info.name = spec_.name;
  info.argv = spec_.argv;
  info.script = spec_.script;
  info.cwd = spec_.cwd;
  info.terminal = spec_.terminal;
  info.started_at = spec_.started_at;
  info.out = observation.totals(JobStream::out);
  info.err = observation.totals(JobStream::err);
  if (observation.status) {
    info.left_processes = observation.status->left_processes != 0;
    info.stdin_open = observation.status->stdin_open != 0;
  }
  if (!observation.exit) {
    info.state = JobState::running;
    info.process = observation.status->process;
    info.duration = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::nanoseconds(observation.status->duration_ns));
    return info;
  }
  const auto& exit = *observation.exit;
  info.state = exit.state;
  if (exit.state == JobState::exited) info.exit_code = exit.number;
  if (exit.state == JobState::signaled) info.signal = exit.number;
  info.ended_by = exit.ended_by;
  info.reason = exit.reason;
  info.survivors = exit.survivors;
  info.ended_at = exit.ended_at;
  info.duration = exit.duration;
  info.process = exit.process;
  return info;
}

}  // namespace berth::engine
