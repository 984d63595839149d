#pragma once

#include <sys/types.h>

#include <string>

#include "engine/commands/supervisor_image.h"
#include "os/features.h"

namespace berth::engine {

/// What the supervisor program is called: its argument 0.
inline constexpr char kSupervisorName[] = "berth-supervisor";

/// Start a file that holds the supervisor program, with a copy of `socket` as its descriptor 0. posix_spawn borrows
/// this process's memory instead of copying it. Returns the pid, or the negative errno value.
pid_t spawn_supervisor(const std::string& file, const os::Features& features, SupervisorRole role, int socket);

}  // namespace berth::engine
