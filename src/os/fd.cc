#include "os/fd.h"

#include <unistd.h>

#include <cerrno>

namespace berth::os {

void Fd::reset(int fd) noexcept {
  // Linux frees the number even when close reports EINTR; a second close could hit another thread's descriptor.
  if (fd_ >= 0) {
    const int saved = errno;
    ::close(fd_);
    errno = saved;
  }
  fd_ = fd;
}

}  // namespace berth::os
