#pragma once

#include "engine/commands/supervisor/cgroup.h"
#include "engine/commands/supervisor/process_tree.h"

namespace berth::supervisor {

/// What a keeper gets from the supervisor it was forked from.
struct KeeperSetup {
  int channel = -1;  ///< to the engine
  int client = -1;   ///< pidfd of the engine's process; -1: only the channel tells that it has gone
  Handles handles = Handles::by_pid;
  Cgroup& cgroup;
};

/// Serve commands, one at a time, until the engine closes the channel; then exit.
///
/// A keeper is the sub-reaper of one command's tree at a time: whatever the command starts, with whatever session or
/// parent, stays below it, and waitpid's ECHILD is the proof that nothing is left. It never exits while it has
/// children. Children that a command leaves behind on purpose are kept company: their output is read and dropped, and
/// the keeper exits with the last of them. If the engine goes while a command runs, the tree is ended.
[[noreturn]] void run_keeper(const KeeperSetup& setup);

}  // namespace berth::supervisor
