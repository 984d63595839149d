#include "engine/files/directory_stack.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "engine/files/file_stat.h"

namespace berth::engine {
namespace {

constexpr int kOpenFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

}  // namespace

Result<DirectoryStack> DirectoryStack::begin(os::Fd directory) {
  DirectoryStack stack;
  BERTH_CHECK(stack.push(std::move(directory), {}));
  return stack;
}

Result<void> DirectoryStack::push(os::Fd directory, std::string name) {
  struct stat st;
  if (fstat(directory.get(), &st) != 0) return errno_error(errno, "look at the directory");
  frames_.push_back({std::move(directory), st, std::move(name), nullptr});
  if (frames_.size() > kOpenDirectories) {
    Frame& far = frames_[frames_.size() - 1 - kOpenDirectories];
    far.reader.reset();
    far.directory.reset();
  }
  return {};
}

Result<void> DirectoryStack::enter(const std::string& name) {
  os::Fd child(openat(directory(), name.c_str(), kOpenFlags));
  if (!child && errno == ELOOP) return errno_error(ENOTDIR, "open the directory");
  if (!child) return errno_error(errno, "open the directory");
  return push(std::move(child), name);
}

Result<void> DirectoryStack::refuse_mount_point() const {
  struct statx st;
  // Kernels before 5.8 do not say; there the removal of the mount point itself fails, with EBUSY.
  const bool mounted =
      statx(directory(), "", AT_EMPTY_PATH, 0, &st) == 0 && (st.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
  if (mounted) return make_error(ErrorCode::conflict, "a file system is mounted in the directory tree");
  return {};
}

Result<void> DirectoryStack::leave() {
  const Frame child = std::move(frames_.back());
  frames_.pop_back();
  Frame& parent = frames_.back();
  if (parent.directory) return {};
  os::Fd again(openat(child.directory.get(), "..", kOpenFlags));
  if (!again) return errno_error(errno, "open the directory");
  struct stat st;
  if (fstat(again.get(), &st) != 0) return errno_error(errno, "look at the directory");
  if (!is_same_file(st, parent.stat)) return make_error(ErrorCode::conflict, "a directory was moved meanwhile");
  parent.directory = std::move(again);
  return {};
}

Result<const os::DirectoryReader::Entry*> DirectoryStack::next() {
  Frame& here = frames_.back();
  if (here.reader == nullptr) here.reader = std::make_unique<os::DirectoryReader>(here.directory.get());
  return here.reader->next();
}

Result<void> DirectoryStack::rewind() {
  Frame& here = frames_.back();
  here.reader.reset();
  if (lseek(here.directory.get(), 0, SEEK_SET) != 0) return errno_error(errno, "read the directory");
  return {};
}

}  // namespace berth::engine
