#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "os/fd.h"

namespace berth::engine {

/// Feeds a command's standard input through a pipe, never waiting. A command that does not read it all is no error, and
/// SIGPIPE never reaches this process.
class StdinFeed final {
 public:
  /// Make the input: /dev/null without bytes, else a pipe with as much in it as it takes. `bytes` must outlive the
  /// feed.
  static Result<StdinFeed> open(const Bytes* bytes);

  /// The end for the command; to be closed once it was handed over.
  os::Fd& command_end() noexcept { return command_end_; }
  /// To poll for POLLOUT while there is more to write; else -1.
  int fd() const noexcept { return ours_.get(); }
  /// Write what fits.
  void write_some();

 private:
  os::Fd command_end_;
  os::Fd ours_;
  BytesView left_;
};

}  // namespace berth::engine
