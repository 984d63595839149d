#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "contract/capabilities.h"
#include "os/root.h"

namespace berth::engine {

struct CommandOptions {
  /// What every command's environment holds beside the allow-listed variables of this process (C-RUN-1).
  std::vector<std::pair<std::string, Bytes>> env;
  /// How long a command may wait for the process that starts it.
  std::chrono::milliseconds start_patience{20'000};
};

/// Commands in one host directory (C-RUN 1–7 and 9), through a supervisor process that is started on first use, again
/// when it was killed, and ends with this object. Processes that a finished command left behind live on.
///
/// Environment: the allow-listed variables as they are in this process when this function is called, then
/// `options.env`, then what the spec takes away and sets. Names are looked up in the command's own PATH. Every command
/// has a session of its own, no signal blocked or ignored, and no descriptor but 0, 1 and 2.
///
/// Ending (C-RUN-5): `spec.timeout`, a stop and an output limit give the tree TERM and 2 s, less when `call.deadline`
/// is nearer; the deadline itself gives KILL at once. `survivors` is 0 when every process was seen to end, 1 and a
/// `reason` when the proof did not come before the call had to return; the tree is ended all the same. The tree is also
/// ended when this process is killed.
///
/// `run_id` (C-RUN-7): the newest 1,024 outcomes with at most 64 MiB of kept output are remembered while this object
/// lives, whatever the repeated spec says; the sink of a repeat sees nothing. A request that failed is not remembered.
///
/// Errors beside those of the interface: `not_found`, `not_a_directory`, `path_escape` and `permission_denied` for
/// `cwd`, `unavailable` when no process can be made. A directory that was deleted under the command is
/// `environment_gone`.
///
/// This is no sandbox: a command is held by nothing but its user's rights. It may kill its keeper, which is `lost` and
/// ends its tree; one that kills the supervisor with it escapes its end. One that stops or traces these processes holds
/// up later commands for `options.start_patience`: then they are `unavailable`, and the next ones get new processes.
std::unique_ptr<CommandRunner> make_host_commands(std::shared_ptr<const os::Root> root, CommandOptions options);

}  // namespace berth::engine
