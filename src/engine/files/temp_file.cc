#include "engine/files/temp_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "engine/files/rename.h"
#include "os/temp_name.h"

namespace berth::engine {
namespace {

constexpr std::size_t kPieceBytes = 1024 * 1024;
constexpr int kNameAttempts = 16;

}  // namespace

Result<TempFile> TempFile::make(int directory, mode_t mode) {
  for (int attempt = 0; attempt < kNameAttempts;) {
    std::string name = os::make_temp_name();
    os::Fd fd(openat(directory, name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (!fd) {
      if (errno == EINTR) continue;
      if (errno != EEXIST) return errno_error(errno, "create a file in the directory");
      ++attempt;
      continue;
    }
    TempFile made(directory, std::move(name), std::move(fd));
    // A sweep may have found the file before it was locked and be about to remove it; a file system without flock
    // has no sweeps either.
    if (flock(made.fd_.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return made;
    ++attempt;
  }
  return make_error(ErrorCode::conflict, "no temporary file could be made in the directory");
}

TempFile::TempFile(TempFile&& other) noexcept
    : directory_(other.directory_), name_(std::exchange(other.name_, {})), fd_(std::move(other.fd_)) {}

TempFile::~TempFile() {
  if (!name_.empty()) unlinkat(directory_, name_.c_str(), 0);
}

Result<void> TempFile::write(const Call& call, BytesView content) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd_.get(), content.data(), std::min(content.size(), kPieceBytes));
    if (written >= 0) {
      content.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      return errno_error(errno, "write the file");
    }
    if (!content.empty()) BERTH_CHECK(call.check());
  }
  return {};
}

Result<void> TempFile::take_attributes(const struct stat& replaced) {
  BERTH_TRY(const struct stat own, look());
  mode_t mode = replaced.st_mode & 07777;
  const bool group_kept =
      own.st_gid == replaced.st_gid || fchown(fd_.get(), static_cast<uid_t>(-1), replaced.st_gid) == 0;
  const bool user_kept =
      own.st_uid == replaced.st_uid || fchown(fd_.get(), replaced.st_uid, static_cast<gid_t>(-1)) == 0;
  if (!group_kept) mode &= ~static_cast<mode_t>(S_ISGID);
  if (!user_kept) mode &= ~static_cast<mode_t>(S_ISUID);
  return set_mode(mode);
}

Result<void> TempFile::set_mode(mode_t mode) {
  if (fchmod(fd_.get(), mode) != 0) return errno_error(errno, "set the file's mode");
  return {};
}

Result<void> TempFile::flush(Durability durability) {
  if (durability == Durability::durable) {
    if (fsync(fd_.get()) != 0) return errno_error(errno, "sync the file");
    return {};
  }
  // Closing any descriptor of the file makes the file system report what it put off; the lock stays with this one.
  const int copy = fcntl(fd_.get(), F_DUPFD_CLOEXEC, 0);
  if (copy >= 0 && close(copy) != 0 && errno != EINTR) return errno_error(errno, "write the file");
  return {};
}

Result<void> TempFile::publish_over(const std::string& name) {
  if (renameat(directory_, name_.c_str(), directory_, name.c_str()) != 0) {
    return errno_error(errno, "put the file in its place");
  }
  name_.clear();
  return {};
}

Result<void> TempFile::publish_new(const std::string& name, const os::Features& features) {
  const int failure = rename_without_replacing(features, directory_, name_, directory_, name);
  switch (failure) {
    case 0: name_.clear(); return {};
    case EEXIST: return make_error(ErrorCode::already_exists, "something stands there already");
    case kCannotRenameWithoutReplacing: break;
    default: return errno_error(failure, "put the file in its place");
  }
  // The temporary name goes on destruction.
  if (linkat(directory_, name_.c_str(), directory_, name.c_str(), 0) == 0) return {};
  if (errno == EEXIST) return make_error(ErrorCode::already_exists, "something stands there already");
  return errno_error(errno, "put the file in its place");
}

Result<struct stat> TempFile::look() const {
  struct stat st;
  if (fstat(fd_.get(), &st) != 0) return errno_error(errno, "look at the file");
  return st;
}

}  // namespace berth::engine
