#include "engine/commands/stdin_feed.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

namespace berth::engine {
namespace {

/// Holds SIGPIPE back from this thread and swallows one that was raised meanwhile, unless one was pending before.
class NoSigpipe {
 public:
  NoSigpipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoSigpipe() {
    const timespec now{};
    if (!was_pending_) {
      while (sigtimedwait(&pipe_, nullptr, &now) < 0 && errno == EINTR) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoSigpipe(const NoSigpipe&) = delete;
  NoSigpipe& operator=(const NoSigpipe&) = delete;

 private:
  sigset_t pipe_;
  sigset_t before_;
  bool was_pending_ = false;
};

}  // namespace

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
