#include "engine/commands/supervisor/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/commands/supervisor/cgroup.h"
#include "engine/commands/supervisor/keeper.h"
#include "engine/commands/supervisor/messages.h"
#include "engine/commands/supervisor/orphans.h"
#include "engine/commands/supervisor/process_tree.h"
#include "engine/commands/wire.h"
#include "engine/jobs/keeper/job_guardian.h"

namespace berth::supervisor {
namespace {

constexpr int kSettlePatience = 500;  ///< milliseconds for a killed keeper to be dead

struct Setup {
  int engine = -1;
  int client = -1;
  Handles handles = Handles::by_pid;
  Cgroup cgroup;
};

/// Leave the caller's world: its descriptors, signal settings, terminal and directory.
void detach(Setup& setup, const char* features) {
  // The supervisor and its keepers block everything, so that a stray signal ends neither.
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  // By the bare call: the library hides the two signals it uses itself, which the caller may have ignored. All zeros is
  // the default action.
  const unsigned long standard[8] = {};
  for (int number = 1; number < _NSIG; ++number) syscall(SYS_rt_sigaction, number, standard, nullptr, 8);
  setsid();
  [[maybe_unused]] const int moved = chdir("/");

  const pid_t parent = getppid();
  setup.engine = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
  if (setup.engine != 3) {
    dup3(setup.engine, 3, O_CLOEXEC);
    setup.engine = 3;
  }
  if (syscall(SYS_close_range, 4U, ~0U, 0U) != 0) {
    for (int fd = 4; fd < static_cast<int>(sysconf(_SC_OPEN_MAX)); ++fd) close(fd);
  }
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd < 3; ++fd) {
    if (null >= 0) dup3(null, fd, O_CLOEXEC);
  }
  if (null >= 3) close(null);

  // Commands of an ordinary user can then neither trace the supervisor and its keepers nor take over their channels.
  prctl(PR_SET_DUMPABLE, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_NAME, "berth-supervisr");
  if (strchr(features, 'p') != nullptr) {
    setup.handles = Handles::pidfd;
    setup.client = static_cast<int>(syscall(SYS_pidfd_open, parent, 0));
  }
}

class Supervisor final {
 public:
  explicit Supervisor(Setup& setup) : setup_(setup), tree_(setup.handles) { open_signals(); }

  void serve() {
    for (;;) {
      pollfd waits[] = {{setup_.engine, POLLIN, 0}, {signals_, POLLIN, 0}, {setup_.client, POLLIN, 0}};
      if (poll(waits, 3, -1) < 0) continue;
      if (waits[1].revents != 0) reap();
      if (waits[2].revents != 0) return;
      if (waits[0].revents != 0 && !on_request()) return;
    }
  }

 private:
  /// The engine's numbers of the keepers forked last; an older one is dead or settled without its number.
  struct Known {
    std::uint64_t number = 0;
    pid_t pid = 0;
  };
  static constexpr std::size_t kKnown = 4096;
  enum class Keeper { dying, stuck };

  void open_signals() {
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    signals_ = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
  }

  bool on_request() {
    wire::SupervisorRequest request{};
    Received received = receive(setup_.engine, &request, sizeof request);
    if (received.bytes == 0 || (received.bytes < 0 && errno != EAGAIN)) return false;
    if (received.bytes == sizeof request && received.descriptor_count == 1) {
      if (request.kind == wire::Kind::new_keeper) fork_keeper(request.keeper, received.descriptors[0]);
      if (request.kind == wire::Kind::settle) settle(request.keeper, Keeper::dying);
      if (request.kind == wire::Kind::kill_keeper) settle(request.keeper, Keeper::stuck);
    }
    received.close_descriptors();
    return true;
  }

  void fork_keeper(std::uint64_t number, int channel) {
    const pid_t pid = fork();
    if (pid == 0) {
      close(setup_.engine);
      close(signals_);
      run_keeper({.channel = channel, .client = setup_.client, .handles = setup_.handles, .cgroup = setup_.cgroup});
    }
    if (pid < 0) {
      wire::Report report;
      report.what = wire::Report::What::no_process;
      report.error = errno;
      send_message(channel, &report, sizeof report);
      return;
    }
    keepers_.add(pid);
    if (last_ == kKnown) last_ = 0;
    known_[last_++] = {.number = number, .pid = pid};
  }

  /// A keeper whose channel broke is about to be dead: wait for that, then its orphans are ours to end. One that does
  /// not answer is killed first: no tracer can keep a process from that.
  void settle(std::uint64_t number, Keeper keeper) {
    for (const Known& known : known_) {
      if (known.number != number) continue;
      if (keeper == Keeper::stuck && keepers_.contains(known.pid)) kill(known.pid, SIGKILL);
      for (int wait = 0; wait < kSettlePatience && keepers_.contains(known.pid); ++wait) {
        reap();
        if (keepers_.contains(known.pid)) poll(nullptr, 0, 1);
      }
    }
  }

  /// Collect keepers that have gone. One that was killed leaves its command's tree to this process: it is ended.
  void reap() {
    signalfd_siginfo info[8];
    while (read(signals_, info, sizeof info) > 0) {
    }
    int status = 0;
    pid_t pid = 0;
    while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0) {
      if (WIFSTOPPED(status)) {
        // The only signal that reaches a keeper without ending it.
        if (keepers_.contains(pid)) kill(pid, SIGCONT);
        continue;
      }
      if (!keepers_.remove(pid) || !WIFSIGNALED(status)) continue;
      end_orphans(tree_, keepers_);
      setup_.cgroup.remove_keeper_of(pid);
    }
  }

  Setup& setup_;
  ProcessTree tree_;
  PidList keepers_;
  Known known_[kKnown] = {};
  std::size_t last_ = 0;
  int signals_ = -1;
};

}  // namespace

int supervise(const char* features) {
  static Setup setup;
  detach(setup, features);
  const bool use_cgroup = strchr(features, 'c') != nullptr;
  if (strchr(features, 'j') != nullptr) {
    start_job(setup.engine, setup.handles, setup.cgroup, use_cgroup);
    return 0;
  }
  if (use_cgroup) setup.cgroup.make_base();
  static Supervisor supervisor(setup);
  supervisor.serve();
  setup.cgroup.remove_base();
  return 0;
}

}  // namespace berth::supervisor
