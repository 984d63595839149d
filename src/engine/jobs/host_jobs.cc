#include "engine/jobs/host_jobs.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/hash.h"
#include "engine/commands/command_checks.h"
#include "engine/commands/command_environment.h"
#include "engine/commands/no_sigpipe.h"
#include "engine/jobs/job.h"
#include "engine/jobs/job_start.h"
#include "engine/jobs/job_store.h"
#include "engine/jobs/journal_reader.h"
#include "engine/jobs/keeper_connection.h"
#include "os/root_gone.h"

namespace berth::engine {
namespace {

using job_wire::JobRequest;
using std::chrono::milliseconds;

constexpr std::size_t kRandomIdDigits = 12;
constexpr std::size_t kKeyedIdDigits = 24;
constexpr int kStartAttempts = 10;
/// Records of starts that were cut off are removed when they are this old.
constexpr std::chrono::minutes kUnbornAge{10};
/// Beyond the grace of a stop, for what it leaves to be reported.
constexpr milliseconds kStopPatience{6000};
constexpr char kEndOfFile[] = "\x04";

/// The same request must find the same job, without an index that could disagree with the records.
JobId id_of_run(const std::string& run_id) { return {to_hex(sha256("run_id " + run_id)).substr(0, kKeyedIdDigits)}; }

Result<void> check_job_spec(const JobSpec& spec) {
  BERTH_CHECK(check_command_spec(spec.command));
  if (spec.terminal && spec.command.stdin_bytes) {
    auto error = make_error(ErrorCode::invalid_argument, "a job on a terminal cannot be given its standard input");
    error.hint = "start it, then write to its input";
    return error;
  }
  if (spec.terminal && (spec.terminal->rows == 0 || spec.terminal->columns == 0)) {
    return make_error(ErrorCode::invalid_argument, "a terminal has at least one row and one column");
  }
  return {};
}

/// The call with a deadline that is the sooner of its own and `limit`; whose it was shows with `call.check`.
Call within(const Call& call, const std::optional<milliseconds>& limit) {
  return limit ? call.until(Deadline::after(*limit)) : call;
}

class HostJobs final : public JobControl {
 public:
  HostJobs(std::shared_ptr<const os::Root> root, std::string state, const std::string& key, JobOptions options)
      : root_(std::move(root)),
        store_(std::move(state), key),
        options_(std::move(options)),
        environment_(environ, options_.env) {}

  Result<JobInfo> start(const Call& call, const JobSpec& spec) override {
    BERTH_CHECK(call.check());
    BERTH_CHECK(check_job_spec(spec));
    BERTH_TRY(const auto environment, environment_.build(spec.command));
    const auto& run_id = spec.command.run_id;
    for (int attempt = 0; attempt < kStartAttempts; ++attempt) {
      if (!run_id.empty()) {
        auto first = get(call, id_of_run(run_id));
        if (first || first.error().code != ErrorCode::not_found) return first;
      }
      BERTH_TRY(const auto directory, root_->open_path(call, spec.command.cwd, O_PATH | O_DIRECTORY));
      if (root_->gone()) return os::root_gone();
      BERTH_TRY(const auto store, store_.open_or_make());
      BERTH_CHECK(make_room(call, store.get()));
      const JobId id = run_id.empty() ? JobId{random_digits(kRandomIdDigits)} : id_of_run(run_id);
      const JobLaunch launch{.spec = spec,
                             .environment = environment,
                             .directory = directory,
                             .store = store,
                             .journal_bytes = options_.journal_bytes};
      BERTH_TRY(const auto launched, launch_job(call, root_->options().features, launch, id));
      if (launched == JobLaunched::started) return get(call, id);
    }
    return make_error(ErrorCode::conflict, "another start with this run_id is under way and does not come to an end");
  }

  Result<std::vector<JobInfo>> list(const Call& call) override {
    BERTH_CHECK(call.check());
    BERTH_TRY(const auto store, store_.open());
    if (!store) return std::vector<JobInfo>();
    return list_in(call, store.get());
  }

  Result<JobInfo> get(const Call& call, const JobId& id) override {
    BERTH_CHECK(call.check());
    BERTH_TRY(const auto job, open(id));
    BERTH_TRY(const auto seen, job.observe(call));
    return job.describe(seen);
  }

  Result<JobOutput> read(const Call& call, const JobId& id, const JobRead& request) override {
    BERTH_CHECK(call.check());
    if (request.offset < 0 || request.max_bytes <= 0 || request.wait.count() < 0) {
      return make_error(ErrorCode::invalid_argument, "the range of the output makes no sense");
    }
    BERTH_TRY(const auto job, open(id));
    BERTH_TRY(auto seen, job.observe(call));
    const auto total = [&] { return seen.totals(request.stream).total_bytes; };
    if (request.offset > total()) {
      auto error = make_error(ErrorCode::offset_out_of_range, "the offset is past the end of the output")
                       .with("offset", request.offset)
                       .with("total_bytes", total());
      error.hint = "read on at next_offset, or start at or before total_bytes";
      return error;
    }
    if (request.offset == total() && !seen.has_ended() && request.wait.count() > 0) {
      const JobRequest more{.kind = JobRequest::Kind::wait_output,
                            .stream = static_cast<std::uint32_t>(request.stream),
                            .columns = 0,
                            .number = request.offset};
      BERTH_TRY(seen, wait_for(call, job, more, request.wait));
    }
    BERTH_TRY(auto page, read_journal(job.directory(), request.stream, request.offset, request.max_bytes, total()));
    JobOutput output;
    output.next_offset = page.offset + static_cast<std::int64_t>(page.content.size());
    output.content = std::move(page.content);
    output.offset = page.offset;
    output.dropped_bytes = page.offset - request.offset;
    output.total_bytes = total();
    output.ended = seen.has_ended() && output.next_offset >= output.total_bytes;
    return output;
  }

  Result<StdinOutcome> write_stdin(const Call& call, const JobId& id, BytesView content, StdinEnd end) override {
    BERTH_CHECK(call.check());
    BERTH_TRY(const auto job, open(id));
    os::Fd input;
    BERTH_TRY(auto seen, job.observe(call, {.kind = JobRequest::Kind::input}, &input));
    StdinOutcome outcome;
    if (!input) return outcome;
    const bool terminal = job.spec().terminal.has_value();
    Bytes typed;
    if (terminal && end == StdinEnd::close) {
      typed.append(content).append(kEndOfFile);
      content = typed;
    }
    BERTH_TRY(outcome.open, write_all(call, job, input.get(), content, outcome.accepted_bytes));
    if (!typed.empty() && outcome.open) --outcome.accepted_bytes;
    input.reset();
    if (end == StdinEnd::close && !terminal) {
      BERTH_TRY(seen, job.observe(call, {.kind = JobRequest::Kind::close_input}));
      outcome.open = false;
    }
    return outcome;
  }

  Result<SignalOutcome> signal(const Call& call, const JobId& id, int number) override {
    BERTH_CHECK(call.check());
    if (number < 1 || number > SIGRTMAX) {
      return make_error(ErrorCode::invalid_argument, "the signal is no number of one");
    }
    BERTH_TRY(const auto job, open(id));
    BERTH_TRY(const auto seen, job.observe(call, {.kind = JobRequest::Kind::signal, .number = number}));
    return seen.status && seen.status->done != 0 ? SignalOutcome::delivered : SignalOutcome::already_ended;
  }

  Result<JobInfo> stop(const Call& call, const JobId& id, milliseconds grace) override {
    BERTH_CHECK(call.check());
    grace = std::clamp(grace, milliseconds::zero(), milliseconds(std::chrono::hours(24)));
    BERTH_TRY(const auto job, open(id));
    BERTH_TRY(auto seen,
              job.observe(call, {.kind = JobRequest::Kind::stop, .number = std::chrono::nanoseconds(grace).count()}));
    if (seen.status) {
      // The last of its processes, or else the news that one cannot be ended.
      BERTH_TRY(seen, wait_for(call, job, {.kind = JobRequest::Kind::wait_empty}, grace + kStopPatience));
    }
    return job.describe(seen);
  }

  Result<JobInfo> wait(const Call& call, const JobId& id, std::optional<milliseconds> at_most) override {
    BERTH_CHECK(call.check());
    BERTH_TRY(const auto job, open(id));
    BERTH_TRY(const auto seen, wait_for(call, job, {.kind = JobRequest::Kind::wait_end}, at_most));
    return job.describe(seen);
  }

  Result<void> resize(const Call& call, const JobId& id, TerminalSize size) override {
    BERTH_CHECK(call.check());
    BERTH_TRY(const auto job, open(id));
    if (!job.spec().terminal) return make_error(ErrorCode::invalid_argument, "the job runs on no terminal");
    if (size.rows == 0 || size.columns == 0) {
      return make_error(ErrorCode::invalid_argument, "a terminal has at least one row and one column");
    }
    BERTH_TRY(const auto seen,
              job.observe(call, {.kind = JobRequest::Kind::resize, .columns = size.columns, .number = size.rows}));
    return {};
  }

  Result<void> forget(const Call& call, const JobId& id) override {
    BERTH_CHECK(call.check());
    BERTH_TRY(const auto store, store_.open());
    BERTH_TRY(const auto job, Job::open(store.get(), id));
    BERTH_TRY(const auto seen, job.observe(call));
    if (!seen.has_ended()) {
      auto error = make_error(ErrorCode::conflict, "the job still runs");
      error.hint = "stop it first, or wait until it has ended";
      return error;
    }
    return remove_record(store.get(), id);
  }

 private:
  Result<Job> open(const JobId& id) const {
    BERTH_TRY(const auto store, store_.open());
    return Job::open(store.get(), id);
  }

  /// Ask and wait for the answer, at most as long as given; then tell how it is.
  static Result<JobObservation> wait_for(const Call& call, const Job& job, const JobRequest& request,
                                         const std::optional<milliseconds>& at_most) {
    auto seen = job.observe(within(call, at_most), request);
    if (seen || !at_most || seen.error().code != ErrorCode::timed_out) return seen;
    return job.observe(call);
  }

  /// Write until all is taken, or nobody reads any more; whether input is still open.
  static Result<bool> write_all(const Call& call, const Job& job, int input, BytesView content,
                                std::int64_t& accepted) {
    const os::Wakeup wakeup(call.stop);
    std::optional<KeeperConnection> end;
    const NoSigpipe guard;
    while (!content.empty()) {
      const ssize_t written = ::write(input, content.data(), content.size());
      if (written > 0) {
        content.remove_prefix(static_cast<std::size_t>(written));
        accepted += written;
        continue;
      }
      if (written < 0 && errno == EINTR) continue;
      if (written >= 0 || errno != EAGAIN) return false;
      if (!end) {
        BERTH_TRY(end, KeeperConnection::open(call, job.directory()));
        if (!end) return false;
        end->send({.kind = JobRequest::Kind::wait_end});
      }
      // A process that was left behind may hold the input open and never read it.
      std::array<pollfd, 2> waits = {{{input, POLLOUT, 0}, {end->fd(), POLLIN, 0}}};
      if (const auto ready = os::poll_fds(waits, call.deadline, wakeup); !ready) {
        return Error(ready.error()).with("accepted_bytes", accepted);
      }
      if (waits[1].revents != 0) return false;
    }
    return true;
  }

  Result<void> remove_record(int store, const JobId& id) const {
    const std::string gone = ".gone-" + random_digits(32);
    if (::renameat(store, id.text.c_str(), store, gone.c_str()) != 0) {
      if (errno == ENOENT) return no_such_job();
      return errno_error(errno, "remove the record of the job");
    }
    remove_files_and_directory(store, gone);
    return {};
  }

  Result<std::vector<JobInfo>> list_in(const Call& call, int store) {
    BERTH_TRY(const auto names, names_in(store));
    const auto oldest = std::chrono::system_clock::now() - options_.max_age;
    std::vector<JobInfo> jobs;
    for (const auto& name : names) {
      if (!is_job_name(name)) {
        remove_if_cut_off(store, name);
        continue;
      }
      auto info = describe(call, store, {name});
      if (!info && info.error().code == ErrorCode::not_found) continue;
      if (!info) return std::move(info).error();
      if (info->has_ended() && !info->left_processes && info->ended_at < oldest) {
        BERTH_CHECK(unless_gone(remove_record(store, info->id)));
        continue;
      }
      jobs.push_back(*std::move(info));
    }
    std::ranges::sort(jobs, [](const JobInfo& a, const JobInfo& b) {
      return std::pair(a.started_at, a.id) < std::pair(b.started_at, b.id);
    });
    return jobs;
  }

  static Result<JobInfo> describe(const Call& call, int store, const JobId& id) {
    BERTH_TRY(const auto job, Job::open(store, id));
    BERTH_TRY(const auto seen, job.observe(call));
    return job.describe(seen);
  }

  static Result<void> unless_gone(Result<void> result) {
    if (!result && result.error().code == ErrorCode::not_found) return {};
    return result;
  }

  /// Starts and removals that were killed midway leave a directory under a name that is no job's.
  static void remove_if_cut_off(int store, const std::string& name) {
    struct stat status {};
    if (!name.starts_with(".new-") && !name.starts_with(".gone-")) return;
    if (::fstatat(store, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return;
    const auto age = std::chrono::system_clock::now() - std::chrono::system_clock::from_time_t(status.st_mtime);
    if (age > kUnbornAge) remove_files_and_directory(store, name);
  }

  /// Before a start: forget what is too old, and the oldest of what is too much.
  Result<void> make_room(const Call& call, int store) {
    BERTH_TRY(auto jobs, list_in(call, store));
    if (jobs.size() < options_.max_records) return {};
    const auto running = std::ranges::count_if(jobs, [](const JobInfo& job) { return !job.has_ended(); });
    if (static_cast<std::size_t>(running) >= options_.max_records) {
      auto error = make_error(ErrorCode::unavailable, "too many jobs run at once in this workspace")
                       .with("limit", "job_records")
                       .with("max", static_cast<std::int64_t>(options_.max_records));
      error.hint = "wait for one of them, or stop it";
      return error;
    }
    std::ranges::sort(jobs, {}, &JobInfo::ended_at);
    auto excess = jobs.size() + 1 - options_.max_records;
    for (const auto& job : jobs) {
      if (excess == 0 || !job.has_ended()) continue;
      BERTH_CHECK(unless_gone(remove_record(store, job.id)));
      --excess;
    }
    return {};
  }

  const std::shared_ptr<const os::Root> root_;
  const JobStore store_;
  const JobOptions options_;
  const CommandEnvironment environment_;
};

}  // namespace

Result<std::unique_ptr<JobControl>> make_host_jobs(std::shared_ptr<const os::Root> root, const std::string& key,
                                                   JobOptions options) {
  BERTH_TRY(auto state, choose_state_directory(*root, options.state_directory));
  if (state.empty()) return std::unique_ptr<JobControl>();
  return std::unique_ptr<JobControl>(
      std::make_unique<HostJobs>(std::move(root), std::move(state), key, std::move(options)));
}

}  // namespace berth::engine
