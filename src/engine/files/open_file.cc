#include "engine/files/open_file.h"

#include <fcntl.h>

#include <cerrno>

#include "engine/files/file_stat.h"
#include "engine/files/read_bytes.h"

namespace berth::engine {
namespace {

// Without O_NONBLOCK the open itself would wait for a FIFO's writer or a device.
constexpr int kReadFlags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;

}  // namespace

Result<void> require_regular(const struct stat& st) {
  if (S_ISREG(st.st_mode)) return {};
  if (S_ISDIR(st.st_mode)) return make_error(ErrorCode::is_a_directory, "this is a directory");
  if (S_ISLNK(st.st_mode)) return make_error(ErrorCode::not_regular, "this is a symbolic link, not a regular file");
  return make_error(ErrorCode::not_regular, "this is a FIFO, socket or device");
}

Result<os::Fd> open_to_read(const Call& call, const os::Root& root, const Path& path) {
  return root.open_path(call, path, kReadFlags);
}

Result<OpenFile> as_regular(os::Fd fd) {
  OpenFile file{std::move(fd), {}};
  if (!look_at_open(file.fd.get(), file.stat)) return errno_error(errno, "look at the file");
  BERTH_CHECK(require_regular(file.stat));
  return file;
}

Result<OpenFile> open_regular(const Call& call, const os::Root& root, const Path& path) {
  BERTH_TRY(os::Fd fd, open_to_read(call, root, path));
  return as_regular(std::move(fd));
}

Result<OpenFile> open_regular_at(int directory, const std::string& name) {
  int fd;
  do {
    fd = openat(directory, name.c_str(), kReadFlags | O_NOFOLLOW);
  } while (fd < 0 && errno == EINTR);
  if (fd >= 0) return as_regular(os::Fd(fd));
  if (errno == ELOOP) return make_error(ErrorCode::not_regular, "this is a symbolic link, not a regular file");
  return errno_error(errno, "open the file");
}

Result<bool> is_unsized(OpenFile& file) {
  char first;
  BERTH_TRY(const std::size_t got, read_at(file.fd.get(), 0, &first, 1));
  if (got == 0) return false;
  if (!look_at_open(file.fd.get(), file.stat)) return errno_error(errno, "look at the file");
  return file.stat.st_size == 0;
}

}  // namespace berth::engine
