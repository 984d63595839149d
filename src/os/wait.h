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

  /// Whether the stop was requested.
  bool stopped() const noexcept;
  /// Whether no descriptor was left to wake poll with: the token has to be looked at now and then.
  bool blind() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// poll(2) until something is ready, the deadline or the stop: the only way anything here waits for a descriptor.
/// EINTR is retried. Returns how many of `fds` are ready (at least 1); errors: `timed_out`, `cancelled`, `io`.
/// A deadline that has passed, or a stop, wins over what is ready, so a peer that never falls silent delays neither.
Result<int> poll_fds(std::span<pollfd> fds, const Deadline& deadline, const Wakeup& wakeup);

/// Sleep, but not past the deadline or the stop. Errors: `timed_out` when the deadline comes first, `cancelled`.
Result<void> pause(const Call& call, std::chrono::nanoseconds duration);

}  // namespace berth::os
