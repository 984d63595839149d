#pragma once

#include <optional>
#include <string>

#include "base/call.h"
#include "engine/jobs/job_wire.h"
#include "os/fd.h"
#include "os/wait.h"

namespace berth::engine {

/// Connects to the keeper of a job and asks it one thing at a time. One thread.
class KeeperConnection {
 public:
  /// Connect to the keeper whose directory this is; nothing when none listens there.
  static Result<std::optional<KeeperConnection>> open(const Call& call, int job_directory);

  /// Send a request. What became of it shows in the answer.
  void send(const job_wire::JobRequest& request);

  /// Wait for the answer to what was sent, until the deadline; nothing when the keeper has gone. Errors: `timed_out`,
  /// `cancelled`. `descriptor` may be null; it takes the one that comes with the answer.
  Result<std::optional<job_wire::JobStatus>> receive(const Deadline& deadline, const os::Wakeup& wakeup,
                                                     os::Fd* descriptor = nullptr);

  /// To poll for the answer.
  int fd() const noexcept { return socket_.get(); }

 private:
  explicit KeeperConnection(os::Fd socket) : socket_(std::move(socket)) {}

  os::Fd socket_;
};

}  // namespace berth::engine
