#include "engine/files/file_stat.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/limits.h"

namespace berth::engine {
namespace {

constexpr std::uint32_t kPermissionBits = 07777;

bool same_time(const timespec& a, const timespec& b) noexcept { return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec; }

/// Read a link by its directory and name, or, with an empty name, by a descriptor of the link itself.
Result<Bytes> read_link(int fd, const char* name) {
  // Links are at most 4095 bytes on every Linux file system, whatever st_size says (procfs says 0).
  std::array<char, limits::kPathBytes> buffer;
  const ssize_t length = readlinkat(fd, name, buffer.data(), buffer.size());
  if (length < 0) return errno_error(errno, "read the link");
  return Bytes(buffer.data(), static_cast<std::size_t>(length));
}

bool leads_to_directory(const Call& call, const os::Root& root, const Path& path) {
  return root.open_path(call, path, O_PATH | O_DIRECTORY).has_value();
}

}  // namespace

bool look_at_open(int fd, struct stat& st) noexcept {
#if defined(__LP64__) && defined(SYS_fstat)
  return syscall(SYS_fstat, fd, &st) == 0;
#else
  return fstat(fd, &st) == 0;
#endif
}

FileKind kind_of(const struct stat& st) noexcept {
  if (S_ISREG(st.st_mode)) return FileKind::file;
  if (S_ISDIR(st.st_mode)) return FileKind::directory;
  if (S_ISLNK(st.st_mode)) return FileKind::symlink;
  return FileKind::other;
}

GitMode git_mode_of(const struct stat& st) noexcept {
  return (st.st_mode & S_IXUSR) != 0 ? GitMode::executable : GitMode::regular;
}

FileStat file_stat_of(const struct stat& st) {
  FileStat result;
  result.kind = kind_of(st);
  if (result.kind == FileKind::file || result.kind == FileKind::symlink) result.size = st.st_size;
  result.modified_at = std::chrono::sys_time<std::chrono::nanoseconds>(std::chrono::seconds(st.st_mtim.tv_sec) +
                                                                       std::chrono::nanoseconds(st.st_mtim.tv_nsec));
  if (result.kind != FileKind::symlink) result.mode = st.st_mode & kPermissionBits;
  if (result.kind == FileKind::file) result.git_mode = git_mode_of(st);
  result.token = change_token_of(st);
  return result;
}

ChangeToken change_token_of(const struct stat& st) noexcept {
  const auto nanoseconds = [](const timespec& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
  };
  return {{
      st.st_dev,
      st.st_ino,
      static_cast<std::uint64_t>(st.st_size),
      st.st_mode,
      nanoseconds(st.st_mtim),
      nanoseconds(st.st_ctim),
  }};
}

bool is_untouched(const struct stat& before, const struct stat& after) noexcept {
  return is_same_file(before, after) && before.st_size == after.st_size && before.st_mode == after.st_mode &&
         same_time(before.st_mtim, after.st_mtim) && same_time(before.st_ctim, after.st_ctim);
}

bool is_same_file(const struct stat& a, const struct stat& b) noexcept {
  return a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

std::string_view to_string(GitMode mode) noexcept { return mode == GitMode::executable ? "100755" : "100644"; }

Result<FileStat> stat_path(const Call& call, const os::Root& root, const Path& path, FollowLeaf follow) {
  const int flags = follow == FollowLeaf::yes ? O_PATH : O_PATH | O_NOFOLLOW;
  BERTH_TRY(const os::Fd fd, root.open_path(call, path, flags));
  struct stat st;
  if (fstat(fd.get(), &st) != 0) return errno_error(errno, "look at the file");
  FileStat result = file_stat_of(st);
  if (result.kind == FileKind::symlink) {
    BERTH_TRY(result.link_target, read_link(fd.get(), ""));
    result.target_is_directory = leads_to_directory(call, root, path);
  }
  return result;
}

Result<FileStat> describe(const Call& call, const os::Root& root, int directory, const std::string& name,
                          const Path& path) {
  struct stat st;
  if (fstatat(directory, name.c_str(), &st, AT_SYMLINK_NOFOLLOW) != 0) return errno_error(errno, "look at the file");
  FileStat result = file_stat_of(st);
  if (result.kind == FileKind::symlink) {
    BERTH_TRY(result.link_target, read_link(directory, name.c_str()));
    result.target_is_directory = leads_to_directory(call, root, path);
  }
  return result;
}

}  // namespace berth::engine
