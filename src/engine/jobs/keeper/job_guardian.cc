#include "engine/jobs/keeper/job_guardian.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/commands/supervisor/messages.h"
#include "engine/commands/supervisor/orphans.h"
#include "engine/commands/supervisor/payload.h"
#include "engine/jobs/keeper/exit_record.h"
#include "engine/jobs/keeper/job_keeper.h"

namespace berth::supervisor {
namespace {

using job_wire::JobStart;
using job_wire::JobStarted;

char message[sizeof(JobStart) + wire::kInlinePayload];

void answer(int engine, JobStarted::What what, int error) {
  JobStarted started;
  started.what = what;
  started.error = error;
  send_message(engine, &started, sizeof started);
}

/// Held by the guardian alone: the keeper's copy is closed.
int take_guard(int job) {
  const int guard = openat(job, job_wire::kGuardName, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (guard >= 0) flock(guard, LOCK_EX | LOCK_NB);
  return guard;
}

[[noreturn]] void guard_keeper(pid_t keeper, int job, Handles handles, Cgroup& cgroup) {
  int status = 0;
  for (;;) {
    const pid_t pid = waitpid(-1, &status, WUNTRACED);
    if (pid < 0 && errno == EINTR) continue;
    if (pid < 0) break;
    if (pid != keeper) continue;
    if (!WIFSTOPPED(status)) break;
    // The only signal that reaches a keeper without ending it.
    kill(keeper, SIGCONT);
  }
  if (WIFSIGNALED(status)) {
    static ProcessTree tree(handles);
    end_orphans(tree, PidList());
    cgroup.remove_keeper_of(keeper);
    write_exit_record(job, {.kind = ExitRecord::Kind::lost,
                            .number = 0,
                            .ended_by = "itself",
                            .reason = "the process that watched it was killed"});
    unlinkat(job, job_wire::kControlName, 0);
  }
  cgroup.remove_base();
  _exit(0);
}

}  // namespace

void start_job(int engine, Handles handles, Cgroup& cgroup, bool use_cgroup) {
  Received received = receive(engine, message, sizeof message);
  if (received.bytes < static_cast<ssize_t>(sizeof(JobStart))) return;
  static JobStart start;
  memcpy(&start, message, sizeof start);
  static Payload payload;
  const int expected =
      job_wire::kMinDescriptors + static_cast<int>(start.stdin_given) + static_cast<int>(start.run.in_file);
  if (received.descriptor_count != expected ||
      !payload.read(start.run, message + sizeof start, static_cast<std::size_t>(received.bytes) - sizeof start,
                    received.descriptors[received.descriptor_count - 1])) {
    return answer(engine, JobStarted::What::no_process, EPROTO);
  }
  const int job = received.descriptors[job_wire::kJob];
  const int guard = take_guard(job);
  if (guard < 0) return answer(engine, JobStarted::What::no_record, errno);

  const pid_t guardian = fork();
  if (guardian != 0) {
    if (guardian < 0) answer(engine, JobStarted::What::no_process, errno);
    return;
  }
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_NAME, "berth-guardian");
  if (use_cgroup) cgroup.make_base();
  const pid_t keeper = fork();
  if (keeper < 0) {
    answer(engine, JobStarted::What::no_process, errno);
    _exit(0);
  }
  if (keeper == 0) {
    // The guardian's lock is on what both have open.
    close(guard);
    if (start.run.in_file != 0) close(received.descriptors[received.descriptor_count - 1]);
    run_job_keeper({.channel = engine,
                    .directory = received.descriptors[job_wire::kDirectory],
                    .store = received.descriptors[job_wire::kStore],
                    .job = job,
                    .stdin_file = start.stdin_given != 0 ? received.descriptors[job_wire::kStdin] : -1,
                    .handles = handles,
                    .cgroup = cgroup,
                    .start = start,
                    .argv = payload.argv(),
                    .envp = payload.envp()});
  }
  close(engine);
  for (int i = 0; i < received.descriptor_count; ++i) {
    if (received.descriptors[i] != job) close(received.descriptors[i]);
  }
  guard_keeper(keeper, job, handles, cgroup);
}

}  // namespace berth::supervisor
