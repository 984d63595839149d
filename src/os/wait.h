#pragma once

#include <poll.h>

#include <chrono>
#include <memory>
#include <span>

#include "base/call.h"
#include "os/fd.h"

namespace berth::os {

/// Makes a stop token wake poll(2). Registers with the token on construction; one thread at a time waits with it.
/// Costs nothing when the token can never be stopped.
class Wakeup {
 public:
  explicit Wakeup(std::stop_token stop);
  ~Wakeup();
  Wakeup(const Wakeup&) = delete;
  Wakeup& operator=(const Wakeup&) = delete;

  /// To poll for POLLIN; -1 (which poll ignores) when the token can never be stopped.
  int fd() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// poll(2) until something is ready, the deadline or the stop: the only way anything here waits for a descriptor.
/// EINTR is retried. Returns how many of `fds` are ready (at least 1); errors: `timed_out`, `cancelled`, `io`.
Result<int> poll_fds(std::span<pollfd> fds, const Deadline& deadline, const Wakeup& wakeup);

/// Sleep, but not past the deadline or the stop. Errors: `timed_out` when the deadline comes first, `cancelled`.
Result<void> pause(const Call& call, std::chrono::nanoseconds duration);

}  // namespace berth::os
