#include "os/directory_lock.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

#include "os/wait.h"

namespace berth::os {
namespace {

/// How often the first in the queue tries again while another process holds the lock.
constexpr std::chrono::nanoseconds kFirstPause = std::chrono::microseconds(50);
constexpr std::chrono::nanoseconds kLongestPause = std::chrono::milliseconds(5);

using Directory = std::pair<dev_t, ino_t>;

/// The threads of this process that wait for a directory, in the order they came; each has an eventfd that wakes it
/// when it becomes the first. One for the process, because the lock is the process's: two roots may be one directory.
class Queues {
 public:
  /// Whether nobody waits for anything: then there is no order to keep.
  bool idle() const noexcept { return joined_.load(std::memory_order_relaxed) == 0; }

  bool has_waiters(const Directory& directory) {
    const std::scoped_lock lock(mutex_);
    return queues_.contains(directory);
  }

  void join(const Directory& directory, int event) {
    const std::scoped_lock lock(mutex_);
    queues_[directory].push_back(event);
    joined_.fetch_add(1, std::memory_order_relaxed);
  }

  bool is_first(const Directory& directory, int event) {
    const std::scoped_lock lock(mutex_);
    return queues_.at(directory).front() == event;
  }

  void leave(const Directory& directory, int event) noexcept {
    const std::scoped_lock lock(mutex_);
    const auto queue = queues_.find(directory);
    auto& events = queue->second;
    const bool was_first = events.front() == event;
    events.erase(std::ranges::find(events, event));
    joined_.fetch_sub(1, std::memory_order_relaxed);
    if (events.empty()) {
      queues_.erase(queue);
    } else if (was_first) {
      ::eventfd_write(events.front(), 1);
    }
  }

 private:
  std::mutex mutex_;
  std::map<Directory, std::deque<int>> queues_;
  std::atomic<int> joined_ = 0;
};

Queues& queues() {
  static Queues all;
  return all;
}

/// Whether the lock was taken; false when another holds it.
Result<bool> try_lock(const Fd& fd) {
  while (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return false;
    if (errno != EINTR) return errno_error(errno, "lock the directory");
  }
  return true;
}

Error held_too_long() {
  auto error = make_error(ErrorCode::unavailable, "another program holds the lock of the directory");
  error.hint = "end the program that holds a flock on it, or try again later";
  return error;
}

}  // namespace

/// A place in the queue for one directory, left on destruction.
class DirectoryLock::Place {
 public:
  Place(Directory directory, Fd event) : directory_(directory), event_(std::move(event)) {
    queues().join(directory_, event_.get());
  }
  ~Place() { queues().leave(directory_, event_.get()); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  bool is_first() const { return queues().is_first(directory_, event_.get()); }
  int event() const noexcept { return event_.get(); }

 private:
  Directory directory_;
  Fd event_;
};

DirectoryLock::DirectoryLock(Fd locked, std::unique_ptr<Place> place) noexcept
    : locked_(std::move(locked)), place_(std::move(place)) {}

DirectoryLock::DirectoryLock(DirectoryLock&&) noexcept = default;

DirectoryLock& DirectoryLock::operator=(DirectoryLock&& other) noexcept {
  if (this != &other) {
    release();
    locked_ = std::move(other.locked_);
    place_ = std::move(other.place_);
  }
  return *this;
}

DirectoryLock::~DirectoryLock() { release(); }

void DirectoryLock::release() noexcept {
  // Closing is not enough: a child forked meanwhile would go on holding the lock with its copy of the descriptor.
  if (locked_) ::flock(locked_.get(), LOCK_UN);
  locked_.reset();
  place_.reset();
}

Result<DirectoryLock> DirectoryLock::take(const Call& call, int directory, std::chrono::nanoseconds patience) {
  Fd fd(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd && errno != EACCES) return errno_error(errno, "lock the directory");
  if (fd && queues().idle()) {
    BERTH_TRY(const bool locked, try_lock(fd));
    if (locked) return DirectoryLock(std::move(fd), nullptr);
  }

  struct stat status {};
  if (::fstat(fd ? fd.get() : directory, &status) != 0) return errno_error(errno, "lock the directory");
  const Directory key(status.st_dev, status.st_ino);
  if (fd && !queues().has_waiters(key)) {
    BERTH_TRY(const bool locked, try_lock(fd));
    if (locked) return DirectoryLock(std::move(fd), nullptr);
  }

  Fd event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!event) return errno_error(errno, "lock the directory");
  auto place = std::make_unique<Place>(key, std::move(event));
  const Wakeup wakeup(call.stop);
  auto pause = kFirstPause;
  auto give_up = Deadline::never();  // begins with the wait for another process
  while (true) {
    const bool first = place->is_first();
    if (first) {
      if (give_up.is_never()) give_up = Deadline::after(patience);
      const auto locked = fd ? try_lock(fd) : Result<bool>(true);
      if (!locked) return locked.error();
      if (*locked) return DirectoryLock(std::move(fd), std::move(place));
    }
    pollfd turn{place->event(), POLLIN, 0};
    const auto until = first ? call.deadline.sooner(Deadline::after(pause)) : call.deadline;
    const auto ready = poll_fds({&turn, 1}, until, wakeup);
    if (ready) {
      eventfd_t count = 0;
      ::eventfd_read(place->event(), &count);
    } else if (ready.error().code != ErrorCode::timed_out) {
      return ready.error();
    } else {
      BERTH_CHECK(call.check());
      if (give_up.passed()) return held_too_long();
      pause = std::min(pause * 2, kLongestPause);
    }
  }
}

}  // namespace berth::os
