#include "workspace/argument_checks.h"
#include "workspace/workspace.h"
#include "workspace/workspace_internal.h"

namespace berth {
namespace {

/// The jobs of the environment, once it is there.
Result<JobControl*> jobs_of(const Call& call, Backend& backend) {
  BERTH_TRY(auto* jobs, offered_to_change(backend.jobs(), backend.info(), "running commands in the background"));
  BERTH_CHECK(call.check());
  BERTH_CHECK(backend.ensure(call));
  return jobs;
}

Result<JobControl*> jobs_of(const Call& call, Backend& backend, const JobId& id) {
  BERTH_TRY(auto* jobs, jobs_of(call, backend));
  BERTH_CHECK(check_job_id(id));
  return jobs;
}

Result<void> check_duration(std::chrono::milliseconds duration, std::string_view what) {
  if (duration.count() >= 0) return {};
  return make_error(ErrorCode::invalid_argument, std::string(what) + " must not be negative");
}

}  // namespace

Result<JobInfo> Workspace::start_job(const Call& call, const JobSpec& spec) {
  BERTH_TRY(auto* jobs, offered_to_change(backend_->jobs(), info(), "running commands in the background"));
  BERTH_CHECK(check_job(spec));
  BERTH_CHECK(ensure(call));
  auto started = jobs->start(call, spec);
  // The only path of a command that can be wrong is its directory.
  if (!started) name_search_path(started.error(), spec.command.cwd.text());
  return started;
}

Result<std::vector<JobInfo>> Workspace::list_jobs(const Call& call) {
  BERTH_TRY(auto* jobs, jobs_of(call, *backend_));
  return jobs->list(call);
}

Result<JobInfo> Workspace::job(const Call& call, const JobId& id) {
  BERTH_TRY(auto* jobs, jobs_of(call, *backend_, id));
  return jobs->get(call, id);
}

Result<JobOutput> Workspace::read_job(const Call& call, const JobId& id, const JobRead& request) {
  BERTH_TRY(auto* jobs, jobs_of(call, *backend_, id));
  BERTH_CHECK(check_job_read(request));
  return jobs->read(call, id, request);
}

Result<StdinOutcome> Workspace::write_job_stdin(const Call& call, const JobId& id, BytesView content, StdinEnd end) {
  BERTH_TRY(auto* jobs, jobs_of(call, *backend_, id));
  return jobs->write_stdin(call, id, content, end);
}

Result<StdinOutcome> Workspace::close_job_stdin(const Call& call, const JobId& id) {
  return write_job_stdin(call, id, {}, StdinEnd::close);
}

Result<SignalOutcome> Workspace::signal_job(const Call& call, const JobId& id, int number) {
  BERTH_TRY(auto* jobs, jobs_of(call, *backend_, id));
  BERTH_CHECK(check_signal_number(number));
  return jobs->signal(call, id, number);
}

Result<JobInfo> Workspace::stop_job(const Call& call, const JobId& id, std::chrono::milliseconds grace) {
  BERTH_TRY(auto* jobs, jobs_of(call, *backend_, id));
  BERTH_CHECK(check_duration(grace, "the grace"));
  return jobs->stop(call, id, grace);
}

Result<JobInfo> Workspace::wait_job(const Call& call, const JobId& id,
                                    std::optional<std::chrono::milliseconds> at_most) {
  BERTH_TRY(auto* jobs, jobs_of(call, *backend_, id));
  if (at_most) BERTH_CHECK(check_duration(*at_most, "the time to wait"));
  return jobs->wait(call, id, at_most);
}

Result<void> Workspace::resize_job(const Call& call, const JobId& id, TerminalSize size) {
  BERTH_TRY(auto* jobs, jobs_of(call, *backend_, id));
  BERTH_CHECK(check_terminal_size(size));
  return jobs->resize(call, id, size);
}

Result<void> Workspace::forget_job(const Call& call, const JobId& id) {
  BERTH_TRY(auto* jobs, jobs_of(call, *backend_, id));
  return jobs->forget(call, id);
}

}  // namespace berth
