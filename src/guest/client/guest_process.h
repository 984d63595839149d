#pragma once

#include <sys/types.h>

#include <string>

#include "base/result.h"
#include "guest/client/connection.h"

namespace berth::guest {

/// A guest that runs as a child of this process.
struct GuestProcess {
  Channel channel;
  pid_t pid = -1;  ///< for those who must reach it beside the channel; another's once the transport was given up
};

/// Start the guest program with a pipe to it and one back. It has this process's environment, directory and standard
/// error, and no descriptor but 0, 1 and 2.
///
/// Giving up the channel's `transport` waits for the process to end, which it does when the pipe to it is closed, and
/// kills it when it takes longer than its commands may. Errors: `unavailable` when no process could be made,
/// `not_found` when there is no such program.
Result<GuestProcess> start_guest(const std::string& program);

}  // namespace berth::guest
