#include "os/directory_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "os/wait.h"

namespace berth::os {

Result<DirectoryLock> DirectoryLock::take(const Call& call, int directory) {
  Fd fd(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return errno_error(errno, "lock the directory");
  std::chrono::nanoseconds wait = std::chrono::microseconds(50);
  while (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return errno_error(errno, "lock the directory");
    BERTH_CHECK(pause(call, wait));
    wait = std::min<std::chrono::nanoseconds>(wait * 2, std::chrono::milliseconds(5));
  }
  return DirectoryLock(std::move(fd));
}

}  // namespace berth::os
