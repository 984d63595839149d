#include "engine/commands/stdin_feed.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "engine/commands/no_sigpipe.h"

namespace berth::engine {
Result<StdinFeed> StdinFeed::open(const Bytes* bytes) {
  StdinFeed feed;
  if (bytes == nullptr) {
    feed.command_end_.reset(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!feed.command_end_) return errno_error(errno, "open the empty input");
    return feed;
  }
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return errno_error(errno, "make the input pipe");
  feed.command_end_.reset(ends[0]);
  feed.ours_.reset(ends[1]);
  // Only our end: the two ends of a pipe have their own status flags.
  ::fcntl(ends[1], F_SETFL, O_NONBLOCK);
  feed.left_ = *bytes;
  feed.write_some();
  return feed;
}

void StdinFeed::write_some() {
  const NoSigpipe guard;
  while (!left_.empty()) {
    const ssize_t written = ::write(ours_.get(), left_.data(), left_.size());
    if (written > 0) {
      left_.remove_prefix(static_cast<std::size_t>(written));
      continue;
    }
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) return;
    break;
  }
  ours_.reset();
}

}  // namespace berth::engine
