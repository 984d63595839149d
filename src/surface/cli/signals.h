#pragma once

#include <stop_token>
#include <thread>

#include "os/fd.h"

namespace berth::cli {

/// Turns the first SIGINT or SIGTERM into a stop request; another, more than half a second later, ends the program at
/// once with 130.
///
/// Handlers, not blocked or ignored signals: those would be inherited by the programs that commands start. There is one
/// watch in a program.
class SignalWatch {
 public:
  SignalWatch() = default;
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// Install the handlers and start watching. SIGPIPE no longer ends the program: writes fail with EPIPE.
  void start();

  std::stop_token token() const noexcept { return source_.get_token(); }
  /// Ask everything to stop, as a signal would.
  void stop() noexcept { source_.request_stop(); }

 private:
  std::stop_source source_;
  os::Fd reader_;
  std::jthread watcher_;
};

}  // namespace berth::cli
