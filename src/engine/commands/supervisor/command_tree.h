#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "engine/commands/supervisor/cgroup.h"
#include "engine/commands/supervisor/process_tree.h"
#include "engine/commands/supervisor/spawn.h"
#include "engine/commands/wire.h"

namespace berth::supervisor {

/// Monotonic time in nanoseconds.
std::int64_t now_ns();
/// How long until then, for poll(2): rounded up, 0 for what has passed, at most some eleven days.
int milliseconds_until(std::int64_t when_ns);

/// One command at a time with everything that it starts, watched and ended by this process.
///
/// This process becomes the sub-reaper: whatever the command starts, with whatever session or parent, stays below it,
/// and waitpid's ECHILD is the proof that nothing is left. Nothing here waits: the owner polls `signals()` with
/// `patience_ms()`, then calls `reap()` and `end_step()`.
class CommandTree final {
 public:
  /// `name` is shown for this process by ps and top.
  CommandTree(Cgroup& cgroup, Handles handles, const char* name);
  CommandTree(const CommandTree&) = delete;
  CommandTree& operator=(const CommandTree&) = delete;

  /// Readable when a child may have ended.
  int signals() const { return signals_; }

  /// Start a command; only when none runs. Its cgroup is set here.
  Spawned start(Program program);
  /// Collect every dead child; afterwards `childless()` is the truth about what is left.
  void reap();

  /// Begin to end the tree or the command's process group: TERM now, and KILL once the grace is over. A second order
  /// only makes the first one stronger.
  void begin_end(wire::Scope scope, std::int64_t grace_ns);
  /// Kill when that is due, and reap.
  void end_step();
  /// Leave off ending.
  void finish_end();

  /// Whether an end was begun and not finished.
  bool is_ending() const { return ending_; }
  /// Whether everything that was to be ended has gone.
  bool has_ended();
  /// How many processes are still to be ended; with no way to tell, one unless there are no children.
  std::size_t survivors();
  /// Whether the killed do not go: nothing has for `wire::kKillPatienceNs`, or not all within `wire::kKillLimitNs`.
  bool gives_up() const;
  /// How many milliseconds may pass before `end_step`; -1 when there is nothing to do.
  int patience_ms() const;

  bool command_has_ended() const { return command_ == 0; }
  bool childless() const { return childless_; }
  /// The command's process group, which outlives it.
  pid_t group() const { return group_; }
  wire::Scope scope() const { return scope_; }
  /// Of the command, as from waitpid; 0 before its end.
  int wait_status() const { return wait_status_; }
  /// Of the command, until now when it has not ended.
  std::int64_t duration_ns() const;

 private:
  Selection selection() const;

  Cgroup& cgroup_;
  ProcessTree tree_;
  int signals_ = -1;
  int priority_ = 0;

  pid_t command_ = 0;  ///< 0 once it is reaped
  pid_t group_ = 0;
  int wait_status_ = 0;
  bool childless_ = true;
  std::int64_t started_ns_ = 0;
  std::int64_t duration_ns_ = 0;

  wire::Scope scope_ = wire::Scope::tree;
  bool ending_ = false;
  bool killing_ = false;
  std::int64_t kill_at_ns_ = 0;
  std::int64_t reaped_ns_ = 0;  ///< when a process of the tree was seen to be gone last
};

}  // namespace berth::supervisor
