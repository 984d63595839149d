#include "engine/jobs/job_start.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "engine/commands/run_payload.h"
#include "engine/commands/supervisor_client.h"
#include "engine/commands/supervisor_image.h"
#include "engine/jobs/job_record.h"
#include "engine/jobs/job_store.h"
#include "engine/jobs/job_wire.h"
#include "os/wait.h"

namespace berth::engine {
namespace {

using job_wire::JobStarted;

/// How long the first process may take to leave once the job's own have answered.
constexpr int kLeaveMs = 1000;

JobSpecRecord record_of(const JobSpec& spec) {
  return {.name = spec.name,
          .argv = spec.command.argv,
          .script = spec.command.script,
          .cwd = spec.command.cwd,
          .run_id = spec.command.run_id,
          .boot_id = current_boot_id(),
          .terminal = spec.terminal,
          .started_at = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now())};
}

/// The job's directory under a name that is no job's. Removed at the end, unless it has become the job's.
class UnbornRecord final {
 public:
  explicit UnbornRecord(int store) : store_(store), name_(".new-" + random_digits(32)) {}
  ~UnbornRecord() {
    if (owned_) remove_files_and_directory(store_, name_);
  }
  UnbornRecord(const UnbornRecord&) = delete;
  UnbornRecord& operator=(const UnbornRecord&) = delete;

  Result<void> make(const JobSpec& spec) {
    if (::mkdirat(store_, name_.c_str(), 0700) != 0) return errno_error(errno, "make the record of the job");
    owned_ = true;
    directory_.reset(::openat(store_, name_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    if (!directory_) return errno_error(errno, "make the record of the job");
    return write_new_file(directory_.get(), job_wire::kSpecName, render(record_of(spec)));
  }

  void let_go() noexcept { owned_ = false; }
  int directory() const noexcept { return directory_.get(); }
  const std::string& name() const noexcept { return name_; }

 private:
  const int store_;
  const std::string name_;
  os::Fd directory_;
  bool owned_ = false;
};

/// The process that makes the job's own leaves at once; it must not stay as a zombie of this one.
void collect(pid_t pid) {
  for (int waited = 0; waited < kLeaveMs; ++waited) {
    const pid_t gone = ::waitpid(pid, nullptr, WNOHANG);
    // The host program may have collected it itself.
    if (gone == pid || (gone < 0 && errno == ECHILD)) return;
    ::poll(nullptr, 0, 1);
  }
  ::kill(pid, SIGKILL);
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

job_wire::JobStart request_of(const JobLaunch& launch, const RunPayload& payload, const std::string& unborn,
                              const JobId& id) {
  job_wire::JobStart request;
  request.run = payload.request;
  const auto& spec = launch.spec;
  if (spec.terminal) {
    request.terminal = 1;
    request.rows = spec.terminal->rows;
    request.columns = spec.terminal->columns;
  }
  request.stdin_given = spec.command.stdin_bytes ? 1 : 0;
  if (spec.command.timeout) {
    constexpr std::chrono::hours kLongest{100 * 365 * 24};
    const auto timeout = std::min<std::chrono::milliseconds>(*spec.command.timeout, kLongest);
    request.timeout_ns = std::chrono::nanoseconds(timeout).count();
  }
  if (spec.command.end_scope == EndScope::group) request.timeout_scope = wire::Scope::group;
  request.journal_bytes = launch.journal_bytes;
  std::memcpy(request.unborn_name, unborn.c_str(), unborn.size() + 1);
  std::memcpy(request.name, id.text.c_str(), id.text.size() + 1);
  return request;
}

/// Wait for what became of it; nothing when the processes died.
Result<std::optional<JobStarted>> answer_from(const Call& call, int socket) {
  const os::Wakeup wakeup(call.stop);
  while (true) {
    std::array<pollfd, 1> waits = {{{socket, POLLIN, 0}}};
    BERTH_CHECK(os::poll_fds(waits, call.deadline, wakeup));
    JobStarted answer;
    const ssize_t got = ::recv(socket, &answer, sizeof answer, MSG_DONTWAIT);
    if (got == sizeof answer) return std::optional<JobStarted>(answer);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    return std::optional<JobStarted>();
  }
}

Error not_started(const JobStarted& answer) {
  switch (answer.what) {
    case JobStarted::What::no_directory: return errno_error(answer.error, "enter the working directory");
    case JobStarted::What::no_record:
      if (answer.error == ENOSPC || answer.error == EDQUOT) return errno_error(answer.error, "record the job");
      return make_error(ErrorCode::unavailable, "no record could be made for the job")
          .with("errno", std::int64_t{answer.error});
    case JobStarted::What::no_terminal:
      return make_error(ErrorCode::unavailable, "no terminal could be made for the job")
          .with("errno", std::int64_t{answer.error});
    case JobStarted::What::started:
    case JobStarted::What::exists:
    case JobStarted::What::no_process: break;
  }
  return make_error(ErrorCode::unavailable, "no process could be made for the job")
      .with("errno", std::int64_t{answer.error});
}

}  // namespace

Result<JobLaunched> launch_job(const Call& call, const os::Features& features, const JobLaunch& launch,
                               const JobId& id) {
  UnbornRecord record(launch.store.get());
  BERTH_CHECK(record.make(launch.spec));
  BERTH_TRY(const RunPayload payload, make_run_payload(launch.spec.command, launch.environment));
  os::Fd input;
  if (launch.spec.command.stdin_bytes) {
    BERTH_TRY(input, file_in_memory(*launch.spec.command.stdin_bytes));
    ::lseek(input.get(), 0, SEEK_SET);
  }
  const auto request = request_of(launch, payload, record.name(), id);
  Bytes message(reinterpret_cast<const char*>(&request), sizeof request);
  message += payload.inline_bytes;

  std::array<int, job_wire::kMinDescriptors + 2> descriptors = {launch.directory.get(), launch.store.get(),
                                                                record.directory()};
  std::size_t count = job_wire::kMinDescriptors;
  if (input) descriptors[count++] = input.get();
  if (payload.file) descriptors[count++] = payload.file.get();

  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return make_error(ErrorCode::unavailable, "no channel to start a job could be made")
        .with("errno", std::int64_t{errno});
  }
  const os::Fd ours(ends[0]);
  os::Fd theirs(ends[1]);
  // Before there is a process that reads it: the process then never waits.
  if (const int error = send_with_descriptors(ours.get(), message, std::span(descriptors).first(count)); error != 0) {
    return make_error(ErrorCode::unavailable, "the job could not be handed over").with("errno", std::int64_t{error});
  }
  BERTH_CHECK(call.check());
  BERTH_TRY(const pid_t pid, start_supervisor(features, SupervisorRole::job, theirs.get()));
  theirs.reset();
  auto answer = answer_from(call, ours.get());
  collect(pid);
  if (!answer) {
    record.let_go();
    return std::move(answer).error();
  }
  if (!*answer) {
    // A quick command may have killed them. Then there is a job, and it is lost.
    if (::faccessat(launch.store.get(), id.text.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0) return JobLaunched::started;
    return make_error(ErrorCode::unavailable, "the processes that watch the job were killed");
  }
  if ((*answer)->what == JobStarted::What::exists) return JobLaunched::exists;
  if ((*answer)->what != JobStarted::What::started) return not_started(**answer);
  record.let_go();
  return JobLaunched::started;
}

}  // namespace berth::engine
