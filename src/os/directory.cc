#include "os/directory.h"

#include <cerrno>
#include <cstring>

namespace berth::os {
namespace {

bool is_dot_or_dot_dot(const char* name) noexcept {
  return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

}  // namespace

DirectoryReader::DirectoryReader(int fd) : fd_(fd), buffer_(new char[kBufferBytes]) {}

Result<const DirectoryReader::Entry*> DirectoryReader::next() {
  while (true) {
    if (position_ >= filled_) {
      const auto got = ::getdents64(fd_, buffer_.get(), kBufferBytes);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return errno_error(errno, "read the directory");
      if (got == 0) return nullptr;
      filled_ = static_cast<std::size_t>(got);
      position_ = 0;
    }
    const auto* raw = reinterpret_cast<const dirent64*>(buffer_.get() + position_);
    position_ += raw->d_reclen;
    if (is_dot_or_dot_dot(raw->d_name)) continue;
    entry_ = {raw->d_name, raw->d_type, raw->d_ino};
    return &entry_;
  }
}

}  // namespace berth::os
