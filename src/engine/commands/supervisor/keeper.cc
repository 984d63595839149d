#include "engine/commands/supervisor/keeper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine/commands/supervisor/messages.h"
#include "engine/commands/supervisor/payload.h"
#include "engine/commands/supervisor/spawn.h"
#include "engine/commands/wire.h"

namespace berth::supervisor {
namespace {

using wire::Report;

constexpr int kTermGraceMs = 2000;   ///< limits::kTermGrace, for a tree whose engine has gone
constexpr int kKillIntervalMs = 10;  ///< between two sweeps of a tree that is being killed

std::int64_t now_ns() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

class Keeper final {
 public:
  explicit Keeper(const KeeperSetup& setup)
      : channel_(setup.channel), client_(setup.client), cgroup_(setup.cgroup), tree_(setup.handles) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_NAME, "berth-keeper");
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    signals_ = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    cgroup_.make_keeper();
    priority_ = getpriority(PRIO_PROCESS, 0);
  }

  [[noreturn]] void serve() {
    for (;;) {
      pollfd waits[] = {{channel_, POLLIN, 0},
                        {client_, POLLIN, 0},
                        {signals_, POLLIN, 0},
                        {drains_[0], POLLIN, 0},
                        {drains_[1], POLLIN, 0}};
      if (poll(waits, 5, patience_ms()) < 0 && errno != EINTR) abort();
      if (waits[2].revents != 0) drain_signals();
      if (state_ != State::idle) reap();
      if (waits[0].revents != 0) on_channel();
      if (waits[1].revents != 0) on_client_gone();
      for (int i = 0; i < 2; ++i) {
        if (waits[3 + i].revents != 0) drain(drains_[i]);
      }
      if (state_ == State::ending) end_step();
      if (channel_ < 0 && state_ == State::idle) leave();
    }
  }

 private:
  enum class State {
    idle,      ///< no children
    running,   ///< a command that has not ended
    ending,    ///< its tree is being ended
    following  ///< the command was reported; what it left behind lives on
  };

  int patience_ms() const {
    if (state_ == State::following && survivors_of_kill_) return 200;
    if (state_ != State::ending) return -1;
    if (killing_) return kKillIntervalMs;
    const std::int64_t left = (kill_at_ns_ - now_ns() + 999'999) / 1'000'000;
    return left < 0 ? 0 : static_cast<int>(left);
  }

  void drain_signals() {
    signalfd_siginfo info[8];
    while (read(signals_, info, sizeof info) > 0) {
    }
  }

  /// Collect every dead child; afterwards `childless_` is the truth about what is left.
  void reap() {
    childless_ = false;
    for (;;) {
      int status = 0;
      const pid_t pid = waitpid(-1, &status, WNOHANG);
      if (pid < 0 && errno == EINTR) continue;
      if (pid < 0) childless_ = true;
      if (pid <= 0) break;
      reaped_ns_ = now_ns();
      if (pid != command_) continue;
      command_ = 0;
      report_.wait_status = status;
      report_.duration_ns = now_ns() - started_ns_;
    }
    if (state_ == State::running && command_ == 0) {
      report_.what = Report::What::ended_itself;
      send_report();
    } else if (state_ == State::ending &&
               (childless_ || (scope_ == wire::Scope::group && command_ == 0 && in_scope() == 0))) {
      finish_end(0);
    } else if (state_ == State::following) {
      if (childless_) {
        close_drains();
        survivors_of_kill_ = false;
        state_ = State::idle;
        if (channel_ >= 0) hang_up();
      } else if (survivors_of_kill_) {
        tree_.freeze_and_kill({});
      }
    }
  }

  void on_channel() {
    static char buffer[sizeof(wire::RunRequest) + wire::kInlinePayload];
    Received received = receive(channel_, buffer, sizeof buffer);
    if (received.bytes < 0) {
      if (errno != EAGAIN) on_client_gone();
      return;
    }
    if (received.bytes == 0) {
      on_client_gone();
      return;
    }
    wire::Kind kind{};
    memcpy(&kind, buffer, sizeof kind);
    const auto size = static_cast<std::size_t>(received.bytes);
    if (kind == wire::Kind::run && size >= sizeof(wire::RunRequest) && state_ == State::idle) {
      start(buffer, size, received);
    } else if (kind == wire::Kind::end && size == sizeof(wire::EndRequest) && state_ == State::running) {
      wire::EndRequest request;
      memcpy(&request, buffer, sizeof request);
      begin_end(request.scope, static_cast<std::int64_t>(request.grace_ns));
    } else if (kind == wire::Kind::release && state_ == State::following) {
      for (int i = 0; i < 2 && i < received.descriptor_count; ++i) {
        drains_[i] = received.descriptors[i];
        received.descriptors[i] = -1;
      }
    }
    received.close_descriptors();
  }

  void start(char* message, std::size_t size, const Received& received) {
    wire::RunRequest request;
    memcpy(&request, message, sizeof request);
    report_ = Report{};
    Payload payload;
    if (received.descriptor_count < wire::kPayload ||
        !payload.read(request, message + sizeof request, size - sizeof request, received.descriptors[wire::kPayload])) {
      report_.what = Report::What::no_process;
      report_.error = EPROTO;
      send_message(channel_, &report_, sizeof report_);
      return;
    }
    Program program{.argv = payload.argv(), .envp = payload.envp(), .cgroup = cgroup_.directory()};
    for (int i = 0; i < 3; ++i) program.standard[i] = received.descriptors[i];
    program.directory = received.descriptors[wire::kDirectory];
    started_ns_ = now_ns();
    const Spawned spawned = spawn(program);
    if (spawned.pid < 0) {
      report_.what = spawned.in_directory ? Report::What::no_process : Report::What::no_directory;
      report_.error = spawned.error;
      send_message(channel_, &report_, sizeof report_);
      return;
    }
    command_ = spawned.pid;
    group_ = spawned.pid;
    state_ = State::running;
  }

  /// Say how it ended, and go on to what is left of it.
  void send_report() {
    report_.children_remain = childless_ ? 0 : 1;
    send_message(channel_, &report_, sizeof report_);
    state_ = childless_ ? State::idle : State::following;
  }

  void begin_end(wire::Scope scope, std::int64_t grace_ns) {
    state_ = State::ending;
    scope_ = scope;
    killing_ = false;
    kill_at_ns_ = now_ns() + grace_ns;
    // Against a tree of many busy processes the keeper must get its turn. Only root may; it is no loss otherwise.
    setpriority(PRIO_PROCESS, 0, -20);
    if (grace_ns > 0 && !tree_.terminate(selection())) ::kill(-group_, SIGTERM);
  }

  Selection selection() const { return {.except = nullptr, .group = scope_ == wire::Scope::group ? group_ : 0}; }

  /// How many processes are still to be ended; with no way to tell, at least one unless there are no children.
  std::size_t in_scope() {
    PidList found;
    if (!tree_.list(selection(), found)) return childless_ ? 0 : 1;
    if (scope_ == wire::Scope::tree && found.size() == 0 && !childless_) return 1;
    return found.size();
  }

  void end_step() {
    if (now_ns() < kill_at_ns_) return;
    killing_ = true;
    if (scope_ == wire::Scope::tree) cgroup_.kill();
    if (!tree_.freeze_and_kill(selection())) ::kill(-group_, SIGKILL);
    reap();
    if (state_ != State::ending) return;
    const std::int64_t now = now_ns();
    const std::int64_t progress_ns = reaped_ns_ > kill_at_ns_ ? reaped_ns_ : kill_at_ns_;
    if (now > progress_ns + wire::kKillPatienceNs || now > kill_at_ns_ + wire::kKillLimitNs) finish_end(in_scope());
  }

  void finish_end(std::size_t survivors) {
    if (childless_) cgroup_.renew();
    setpriority(PRIO_PROCESS, 0, priority_);
    report_.what = Report::What::was_ended;
    report_.survivors = static_cast<std::uint32_t>(survivors);
    if (command_ != 0) report_.duration_ns = now_ns() - started_ns_;
    survivors_of_kill_ = scope_ == wire::Scope::tree && survivors > 0;
    send_report();
  }

  /// The engine closed the channel or its process ended.
  void on_client_gone() {
    hang_up();
    if (state_ == State::running) begin_end(wire::Scope::tree, std::int64_t{kTermGraceMs} * 1'000'000);
  }

  void hang_up() {
    if (channel_ >= 0) close(channel_);
    if (client_ >= 0) close(client_);
    channel_ = -1;
    client_ = -1;
  }

  /// Take what a left-behind process writes, so that it neither blocks nor gets SIGPIPE.
  void drain(int& pipe) {
    static char buffer[64 * 1024];
    ssize_t got = 0;
    do {
      got = read(pipe, buffer, sizeof buffer);
    } while (got < 0 && errno == EINTR);
    if (got > 0 || (got < 0 && errno == EAGAIN)) return;
    close(pipe);
    pipe = -1;
  }

  void close_drains() {
    for (int& pipe : drains_) {
      if (pipe >= 0) close(pipe);
      pipe = -1;
    }
  }

  [[noreturn]] void leave() {
    cgroup_.remove_keeper();
    _exit(0);
  }

  int channel_;
  int client_;
  int signals_ = -1;
  int drains_[2] = {-1, -1};
  Cgroup& cgroup_;
  ProcessTree tree_;
  int priority_ = 0;

  State state_ = State::idle;
  Report report_;
  pid_t command_ = 0;  ///< 0 once it is reaped
  pid_t group_ = 0;    ///< the command's process group; outlives it
  bool childless_ = true;
  std::int64_t started_ns_ = 0;

  wire::Scope scope_ = wire::Scope::tree;
  bool killing_ = false;
  bool survivors_of_kill_ = false;
  std::int64_t kill_at_ns_ = 0;
  std::int64_t reaped_ns_ = 0;  ///< when a process of the tree was seen to be gone last
};

}  // namespace

void run_keeper(const KeeperSetup& setup) {
  Keeper keeper(setup);
  keeper.serve();
}

}  // namespace berth::supervisor
