#include "store/document_directory.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "base/hash.h"
#include "base/limits.h"
#include "os/directory_lock.h"

namespace berth::store {
namespace {

constexpr std::size_t kChunkBytes = 1024 * 1024;
constexpr int kTempAttempts = 10;

Error missing() { return make_error(ErrorCode::not_found, "there is no such document"); }

Error exists() { return make_error(ErrorCode::already_exists, "there is a document of this name"); }

bool is_before_or_at(const timespec& a, const timespec& b) noexcept {
  return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec <= b.tv_nsec;
}

Version version_of(const struct stat& status) {
  const auto time = [](const timespec& t) { return std::to_string(t.tv_sec) + "." + std::to_string(t.tv_nsec); };
  return {std::to_string(status.st_ino) + "-" + std::to_string(status.st_size) + "-" + time(status.st_mtim) + "-" +
          time(status.st_ctim)};
}

/// The shape of `os::is_temp_name`, so that no listing of the directory shows it.
std::string temp_name_of(const std::string& name) { return ".berth-tmp-" + to_hex(sha256(name)).substr(0, 32); }

/// Removes the temporary file unless it became the document.
class TempFile {
 public:
  TempFile(int directory, std::string name) : directory_(directory), name_(std::move(name)) {}
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;
  ~TempFile() {
    if (!renamed_) ::unlinkat(directory_, name_.c_str(), 0);
  }

  const char* name() const noexcept { return name_.c_str(); }
  void was_renamed() noexcept { renamed_ = true; }

 private:
  int directory_;
  std::string name_;
  bool renamed_ = false;
};

/// Make the temporary file. Its flock is held while it is open: it tells those who tidy the directory (a host workspace
/// does) that the file is in use.
Result<os::Fd> make_temp(int directory, const TempFile& temp, mode_t mode) {
  for (int attempt = 0; attempt < kTempAttempts; ++attempt) {
    if (::unlinkat(directory, temp.name(), 0) < 0 && errno != ENOENT) {
      return errno_error(errno, "remove what a killed writer left");
    }
    os::Fd file(::openat(directory, temp.name(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (!file) return errno_error(errno, "make the document");
    struct stat status {};
    const bool kept =
        ::flock(file.get(), LOCK_EX | LOCK_NB) == 0 && ::fstat(file.get(), &status) == 0 && status.st_nlink > 0;
    if (kept) return file;
  }
  return make_error(ErrorCode::conflict, "another program keeps removing the document while it is made");
}

Result<void> write_all(const Call& call, int fd, BytesView content) {
  while (!content.empty()) {
    BERTH_CHECK(call.check());
    const ssize_t written = ::write(fd, content.data(), std::min(content.size(), kChunkBytes));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno_error(errno, "write the document");
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<void> sync_file(int fd, const char* doing) {
  while (::fsync(fd) < 0) {
    if (errno != EINTR) return errno_error(errno, doing);
  }
  return {};
}

Result<void> set_modification_time(int fd, timespec time) {
  const timespec times[2] = {{.tv_sec = 0, .tv_nsec = UTIME_OMIT}, time};
  if (::futimens(fd, times) < 0) return errno_error(errno, "set the time of the document");
  return {};
}

/// Give the new file a time later than the old one's, also on a file system that keeps whole seconds or two.
Result<void> advance_time(int fd, const timespec& old) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  if (is_before_or_at(now, old)) {
    now = old;
    now.tv_nsec += 1;
    if (now.tv_nsec == 1'000'000'000) now = {.tv_sec = old.tv_sec + 1, .tv_nsec = 0};
  }
  BERTH_CHECK(set_modification_time(fd, now));
  struct stat status {};
  if (::fstat(fd, &status) < 0) return errno_error(errno, "look at the document");
  if (!is_before_or_at(status.st_mtim, old)) return {};
  return set_modification_time(fd, {.tv_sec = old.tv_sec + 2, .tv_nsec = 0});
}

int rename_without_replacing(int directory, const char* from, const char* to) {
  const long done = ::syscall(SYS_renameat2, directory, from, directory, to, RENAME_NOREPLACE);
  if (done == 0 || (errno != ENOSYS && errno != EINVAL)) return static_cast<int>(done);
  // The caller holds the directory's lock and has seen that the name is free.
  return ::renameat(directory, from, directory, to);
}

}  // namespace

Result<DocumentDirectory> DocumentDirectory::open(const os::HostPath& path, StoreOptions options) {
  os::Fd directory(::open(path.text.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory) return errno_error(errno, "open the directory of the documents");
  struct stat status {};
  if (::fstat(directory.get(), &status) < 0) return errno_error(errno, "look at the directory of the documents");
  return DocumentDirectory(std::move(directory), status, options);
}

std::string DocumentDirectory::identity() const {
  return std::to_string(status_.st_dev) + ":" + std::to_string(status_.st_ino);
}

Result<std::optional<StoredDocument>> DocumentDirectory::read(const Call& call, const std::string& name,
                                                              const std::optional<Version>& known) const {
  for (int attempt = 0;; ++attempt) {
    BERTH_CHECK(call.check());
    auto document = try_read(call, name, known);
    if (document || document.error().code != ErrorCode::changed_during_read) return document;
    if (attempt + 1 == limits::kReadAttempts) return document;
  }
}

Result<std::optional<StoredDocument>> DocumentDirectory::try_read(const Call& call, const std::string& name,
                                                                  const std::optional<Version>& known) const {
  if (known) {
    BERTH_TRY(const auto status, look(name));
    if (!status) return missing();
    if (version_of(*status) == *known) return std::optional<StoredDocument>();
  }
  const os::Fd file(::openat(fd(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file && errno == ENOENT) return missing();
  if (!file && (errno == ENXIO || errno == ELOOP)) {
    return make_error(ErrorCode::not_regular, "the document is not a regular file");
  }
  if (!file) return errno_error(errno, "open the document");
  struct stat before {};
  if (::fstat(file.get(), &before) < 0) return errno_error(errno, "look at the document");
  if (!S_ISREG(before.st_mode)) return make_error(ErrorCode::not_regular, "the document is not a regular file");
  BERTH_CHECK(check_document_size(before.st_size, options_));

  StoredDocument document;
  document.content.resize(static_cast<std::size_t>(before.st_size));
  std::size_t filled = 0;
  while (filled < document.content.size()) {
    BERTH_CHECK(call.check());
    const std::size_t wanted = std::min(document.content.size() - filled, kChunkBytes);
    const ssize_t got = ::read(file.get(), document.content.data() + filled, wanted);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno_error(errno, "read the document");
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  struct stat after {};
  if (::fstat(file.get(), &after) < 0) return errno_error(errno, "look at the document");
  // A rename by another writer changes the ctime of neither; only writing in place does, or taking the name away.
  if (filled != document.content.size() || after.st_size != before.st_size ||
      !is_before_or_at(after.st_mtim, before.st_mtim)) {
    return make_error(ErrorCode::changed_during_read, "the document changed while it was read");
  }
  document.version = version_of(before);
  return std::optional<StoredDocument>(std::move(document));
}

Result<std::optional<struct stat>> DocumentDirectory::look(const std::string& name) const {
  struct stat status {};
  if (::fstatat(fd(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) return std::optional(status);
  if (errno == ENOENT) return std::optional<struct stat>();
  return errno_error(errno, "look at the document");
}

Result<Version> DocumentDirectory::create(const Call& call, const std::string& name, BytesView content) const {
  BERTH_CHECK(check_document_size(static_cast<std::int64_t>(content.size()), options_));
  BERTH_CHECK(call.check());
  BERTH_TRY(const auto lock, os::DirectoryLock::take(call, fd()));
  BERTH_TRY(const auto old, look(name));
  if (old) return exists();
  return write(call, name, content, std::nullopt);
}

Result<Version> DocumentDirectory::replace(const Call& call, const std::string& name, BytesView content,
                                           const Version& expected) const {
  BERTH_CHECK(check_document_size(static_cast<std::int64_t>(content.size()), options_));
  BERTH_CHECK(call.check());
  BERTH_TRY(const auto lock, os::DirectoryLock::take(call, fd()));
  BERTH_TRY(const auto old, look(name));
  if (!old) return missing();
  if (version_of(*old) != expected) return make_error(ErrorCode::conflict, "the document was changed meanwhile");
  return write(call, name, content, old);
}

Result<Version> DocumentDirectory::write(const Call& call, const std::string& name, BytesView content,
                                         const std::optional<struct stat>& old) const {
  TempFile temp(fd(), temp_name_of(name));
  // While it grows it must not be readable by more users than the document is.
  BERTH_TRY(const os::Fd file, make_temp(fd(), temp, old ? 0600 : 0666));
  if (old && ::fchmod(file.get(), old->st_mode & 07777) < 0) return errno_error(errno, "keep the document's mode");
  BERTH_CHECK(write_all(call, file.get(), content));
  if (old) BERTH_CHECK(advance_time(file.get(), old->st_mtim));
  BERTH_CHECK(sync_file(file.get(), "sync the document"));
  // The last moment at which the call can end with nothing changed.
  BERTH_CHECK(call.check());
  const int renamed = old ? ::renameat(fd(), temp.name(), fd(), name.c_str())
                          : rename_without_replacing(fd(), temp.name(), name.c_str());
  if (renamed < 0) return errno == EEXIST ? exists() : errno_error(errno, "put the document in place");
  temp.was_renamed();
  struct stat status {};
  if (::fstat(file.get(), &status) < 0) return errno_error(errno, "look at the document");
  if (!sync()) {
    return make_error(ErrorCode::ambiguous,
                      "the document is in place, but it is not known whether it survives a crash");
  }
  return version_of(status);
}

Result<DocumentStore::Erased> DocumentDirectory::erase(const Call& call, const std::string& name) const {
  BERTH_CHECK(call.check());
  BERTH_TRY(const auto lock, os::DirectoryLock::take(call, fd()));
  ::unlinkat(fd(), temp_name_of(name).c_str(), 0);
  if (::unlinkat(fd(), name.c_str(), 0) < 0) {
    if (errno == ENOENT) return DocumentStore::Erased::was_absent;
    return errno_error(errno, "delete the document");
  }
  BERTH_CHECK(sync());
  return DocumentStore::Erased::yes;
}

Result<void> DocumentDirectory::sync() const { return sync_file(fd(), "sync the directory of the documents"); }

}  // namespace berth::store
