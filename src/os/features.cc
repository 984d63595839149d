#include "os/features.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "os/fd.h"
#include "os/temp_name.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

namespace berth::os {
namespace {

bool probe_openat2() {
  const Fd root(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  open_how how{};
  how.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  const Fd opened(static_cast<int>(::syscall(SYS_openat2, root.get(), ".", &how, sizeof how)));
  return static_cast<bool>(opened);
}

bool probe_pidfd() {
  const Fd self(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)));
  return self && ::syscall(SYS_pidfd_send_signal, self.get(), 0, nullptr, 0) == 0;
}

/// What a file of the proc file system says now; empty when there is none. By the bare calls: streams of the library
/// are a third of the size of a small static program.
std::string proc_text(const char* file) {
  const Fd fd(::open(file, O_RDONLY | O_CLOEXEC));
  std::string text;
  char buffer[4096];
  while (fd) {
    const ssize_t got = ::read(fd.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(buffer, static_cast<std::size_t>(got));
  }
  return text;
}

/// Take the next line off a text; nothing at its end.
std::optional<std::string_view> take_line(std::string_view& text) {
  if (text.empty()) return std::nullopt;
  const auto line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

/// Where our own cgroup is in the file system; empty when there is no version 2 hierarchy.
std::string own_cgroup() {
  std::string place;
  const auto membership = proc_text("/proc/self/cgroup");
  std::string_view left = membership;
  while (const auto line = take_line(left)) {
    if (line->starts_with("0::")) place = line->substr(3);
  }
  if (place.empty()) return {};
  // Fields: id parent device root mount-point options [optional…] - type source superblock-options.
  const auto mounts = proc_text("/proc/self/mountinfo");
  left = mounts;
  while (const auto line = take_line(left)) {
    const auto separator = line->find(" - cgroup2 ");
    if (separator == std::string_view::npos) continue;
    std::size_t begin = 0;
    for (int field = 0; field < 4; ++field) begin = line->find(' ', begin) + 1;
    return std::string(line->substr(begin, line->find(' ', begin) - begin)) + place;
  }
  return {};
}

bool writable(const std::string& file) { return static_cast<bool>(Fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC))); }

/// A process moves into a child when it may write to the child's and to the common ancestor's `cgroup.procs`.
bool probe_cgroup2() {
  const auto own = own_cgroup();
  if (own.empty() || !writable(own + "/cgroup.procs")) return false;
  const auto child = own + "/" + make_temp_name();
  if (::mkdir(child.c_str(), 0755) != 0) return false;
  const bool usable = writable(child + "/cgroup.procs") && writable(child + "/cgroup.kill");
  ::rmdir(child.c_str());
  return usable;
}

/// Whether a nameless file can be made in a directory and then be given a name.
bool nameless_file_in(const char* directory) {
  const Fd file(::open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (!file) return false;
  const auto name = std::string(directory) + "/" + make_temp_name();
  const auto self = "/proc/self/fd/" + std::to_string(file.get());
  if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0) return false;
  ::unlink(name.c_str());
  return true;
}

bool probe_o_tmpfile() {
  const char* configured = std::getenv("TMPDIR");
  for (const char* directory : {configured, "/tmp", "/var/tmp", "/dev/shm"}) {
    if (directory != nullptr && nameless_file_in(directory)) return true;
  }
  return false;
}

/// Which file systems can do it is not known before the call; that the kernel lets the call through is.
bool probe_renameat2() {
  const auto missing = make_temp_name();
  return ::syscall(SYS_renameat2, AT_FDCWD, missing.c_str(), AT_FDCWD, missing.c_str(), RENAME_NOREPLACE) != 0 &&
         errno == ENOENT;
}

/// Kernels before 6.3 do not know MFD_EXEC and allow execution always; later ones may forbid it by a setting.
bool probe_memfd_exec() {
  Fd program(::memfd_create("berth", MFD_CLOEXEC | MFD_EXEC));
  if (!program && errno == EINVAL) program.reset(::memfd_create("berth", MFD_CLOEXEC));
  if (!program || ::fchmod(program.get(), 0700) != 0) return false;
  return ::faccessat(program.get(), "", X_OK, AT_EMPTY_PATH | AT_EACCESS) == 0;
}

}  // namespace

Features Features::probe() {
  return {
      .openat2 = probe_openat2(),
      .pidfd = probe_pidfd(),
      .cgroup2 = probe_cgroup2(),
      .o_tmpfile = probe_o_tmpfile(),
      .renameat2 = probe_renameat2(),
      .memfd_exec = probe_memfd_exec(),
  };
}

}  // namespace berth::os
