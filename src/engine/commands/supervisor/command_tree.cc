#include "engine/commands/supervisor/command_tree.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace berth::supervisor {
namespace {

constexpr int kKillIntervalMs = 10;       ///< between two sweeps of a tree that is being killed
constexpr int kSurvivorIntervalMs = 200;  ///< of one that does not go
constexpr int kMaxPatienceMs = 1'000'000'000;

}  // namespace

std::int64_t now_ns() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

int milliseconds_until(std::int64_t when_ns) {
  const std::int64_t left = (when_ns - now_ns() + 999'999) / 1'000'000;
  if (left < 0) return 0;
  return left > kMaxPatienceMs ? kMaxPatienceMs : static_cast<int>(left);
}

CommandTree::CommandTree(Cgroup& cgroup, Handles handles, const char* name) : cgroup_(cgroup), tree_(handles) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_NAME, name);
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  signals_ = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
  cgroup_.make_keeper();
  priority_ = getpriority(PRIO_PROCESS, 0);
}

Spawned CommandTree::start(Program program) {
  program.cgroup = cgroup_.directory();
  wait_status_ = 0;
  started_ns_ = now_ns();
  const Spawned spawned = spawn(program);
  if (spawned.pid < 0) return spawned;
  command_ = group_ = spawned.pid;
  childless_ = false;
  return spawned;
}

void CommandTree::reap() {
  signalfd_siginfo info[8];
  while (read(signals_, info, sizeof info) > 0) {
  }
  childless_ = false;
  for (;;) {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid < 0 && errno == EINTR) continue;
    if (pid < 0) childless_ = true;
    if (pid <= 0) return;
    reaped_ns_ = now_ns();
    if (pid != command_) continue;
    command_ = 0;
    wait_status_ = status;
    duration_ns_ = reaped_ns_ - started_ns_;
  }
}

void CommandTree::begin_end(wire::Scope scope, std::int64_t grace_ns) {
  const std::int64_t kill_at = now_ns() + grace_ns;
  if (ending_) {
    if (scope == wire::Scope::tree) scope_ = scope;
    if (kill_at < kill_at_ns_) kill_at_ns_ = kill_at;
    return;
  }
  ending_ = true;
  scope_ = scope;
  killing_ = false;
  kill_at_ns_ = kill_at;
  // Against a tree of many busy processes this one must get its turn. Only root may; it is no loss otherwise.
  setpriority(PRIO_PROCESS, 0, -20);
  if (grace_ns > 0 && !tree_.terminate(selection()) && command_ != 0) ::kill(-group_, SIGTERM);
}

void CommandTree::end_step() {
  if (!ending_ || now_ns() < kill_at_ns_) return;
  killing_ = true;
  if (scope_ == wire::Scope::tree) cgroup_.kill();
  // A group's number is the command's only until the command is reaped.
  if (!tree_.freeze_and_kill(selection()) && command_ != 0) ::kill(-group_, SIGKILL);
  reap();
}

void CommandTree::finish_end() {
  ending_ = false;
  if (childless_) cgroup_.renew();
  setpriority(PRIO_PROCESS, 0, priority_);
}

std::size_t CommandTree::survivors() {
  if (childless_) return 0;
  PidList found;
  if (!tree_.list(selection(), found)) return 1;
  if (found.size() > 0) return found.size();
  // What waits to be reaped is not listed, and may leave children to this process when it goes.
  return command_ != 0 || scope_ == wire::Scope::tree ? 1 : 0;
}

bool CommandTree::has_ended() {
  // Only a group needs the look at every process.
  return childless_ || (scope_ == wire::Scope::group && command_ == 0 && survivors() == 0);
}

bool CommandTree::gives_up() const {
  if (!killing_) return false;
  const std::int64_t now = now_ns();
  const std::int64_t progress_ns = reaped_ns_ > kill_at_ns_ ? reaped_ns_ : kill_at_ns_;
  return now > progress_ns + wire::kKillPatienceNs || now > kill_at_ns_ + wire::kKillLimitNs;
}

int CommandTree::patience_ms() const {
  if (!ending_) return -1;
  if (killing_) return gives_up() ? kSurvivorIntervalMs : kKillIntervalMs;
  return milliseconds_until(kill_at_ns_);
}

std::int64_t CommandTree::duration_ns() const { return command_ == 0 ? duration_ns_ : now_ns() - started_ns_; }

Selection CommandTree::selection() const {
  return {.except = nullptr, .group = scope_ == wire::Scope::group ? group_ : 0};
}

}  // namespace berth::supervisor
