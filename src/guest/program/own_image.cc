// In place of engine/commands/supervisor_image.cc: the guest does not carry the supervisor as a second program, it
// holds its code and runs itself once more.

#include <sys/auxv.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "engine/commands/supervisor_image.h"
#include "engine/commands/supervisor_spawn.h"

namespace berth::engine {

Result<pid_t> start_supervisor(const os::Features& features, SupervisorRole role, int socket) {
  // The first works when the file was removed or replaced meanwhile, the second where there is no /proc.
  pid_t pid = spawn_supervisor("/proc/self/exe", features, role, socket);
  const auto* started_as = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  if (pid == -ENOENT && started_as != nullptr) pid = spawn_supervisor(started_as, features, role, socket);
  if (pid >= 0) return pid;
  return make_error(ErrorCode::unavailable, "the process that starts commands could not be started")
      .with("errno", std::int64_t{-pid});
}

}  // namespace berth::engine
