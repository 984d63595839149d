#pragma once

#include <sys/types.h>

#include "base/result.h"
#include "os/features.h"

namespace berth::engine {

/// What the program does: serve an engine's commands, or start one job and leave (see engine/jobs).
enum class SupervisorRole { commands, job };

/// Start the supervisor program, which the library carries inside, with a copy of `socket` as its descriptor 0.
///
/// It runs from memory where the kernel allows that, else from a private temporary file that is removed as soon as it
/// runs. The program is a child of this process. No memory or lock of this process is touched in between: the start is
/// safe beside any number of threads.
Result<pid_t> start_supervisor(const os::Features& features, SupervisorRole role, int socket);

}  // namespace berth::engine
