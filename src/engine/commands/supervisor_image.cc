#include "engine/commands/supervisor_image.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "base/bytes.h"
#include "engine/commands/supervisor_spawn.h"
#include "os/fd.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

asm(".pushsection .rodata\n"
    ".balign 16\n"
    "berth_supervisor_begin:\n"
    ".incbin \"" BERTH_SUPERVISOR_FILE
    "\"\n"
    "berth_supervisor_end:\n"
    ".popsection\n");

namespace berth::engine {

[[gnu::visibility("hidden")]] extern const char kProgramBegin[] asm("berth_supervisor_begin");
[[gnu::visibility("hidden")]] extern const char kProgramEnd[] asm("berth_supervisor_end");

namespace {

constexpr int kBusyAttempts = 50;

BytesView program() { return {kProgramBegin, static_cast<std::size_t>(kProgramEnd - kProgramBegin)}; }

bool write_all(int fd, BytesView bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// A descriptor above those that the new program's standard streams take.
os::Fd above_standard(os::Fd fd) {
  if (!fd || fd.get() > STDERR_FILENO) return fd;
  return os::Fd(::fcntl(fd.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

pid_t spawn_from_memory(const os::Features& features, SupervisorRole role, int socket) {
  os::Fd memory(::memfd_create("berth-supervisor", MFD_CLOEXEC | MFD_EXEC));
  if (!memory && errno == EINVAL) memory.reset(::memfd_create("berth-supervisor", MFD_CLOEXEC));
  memory = above_standard(std::move(memory));
  if (!memory || !write_all(memory.get(), program())) return -errno;
  return spawn_supervisor("/proc/self/fd/" + std::to_string(memory.get()), features, role, socket);
}

pid_t spawn_from_file(const std::string& directory, const os::Features& features, SupervisorRole role, int socket) {
  std::string file = directory + "/berth-supervisor-XXXXXX";
  {
    const os::Fd fd(::mkostemp(file.data(), O_CLOEXEC));
    if (!fd) return -errno;
    if (::fchmod(fd.get(), 0700) != 0 || !write_all(fd.get(), program())) {
      const int error = errno;
      ::unlink(file.c_str());
      return -error;
    }
  }
  pid_t pid = spawn_supervisor(file, features, role, socket);
  // A process forked by another thread may hold the file open for writing until it executes its own program.
  for (int attempt = 0; pid == -ETXTBSY && attempt < kBusyAttempts; ++attempt) {
    ::usleep(1000);
    pid = spawn_supervisor(file, features, role, socket);
  }
  ::unlink(file.c_str());
  return pid;
}

}  // namespace

Result<pid_t> start_supervisor(const os::Features& features, SupervisorRole role, int socket) {
  pid_t pid = -ENOSYS;
  if (features.memfd_exec) pid = spawn_from_memory(features, role, socket);
  const char* configured = std::getenv("TMPDIR");
  for (const char* directory : {configured, "/tmp", "/var/tmp", "/dev/shm"}) {
    if (pid >= 0 || pid == -EAGAIN || pid == -ENOMEM) break;
    if (directory != nullptr && *directory != '\0') pid = spawn_from_file(directory, features, role, socket);
  }
  if (pid >= 0) return pid;
  return make_error(ErrorCode::unavailable, "the process that starts commands could not be started")
      .with("errno", std::int64_t{-pid});
}

}  // namespace berth::engine
