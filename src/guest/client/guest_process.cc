#include "guest/client/guest_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <utility>

namespace berth::guest {
namespace {

/// The guest gives its commands 5 s.
constexpr int kLeaveMs = 7000;

struct Process {
  explicit Process(pid_t child) : pid(child) {}
  ~Process() {
    for (int waited = 0; waited < kLeaveMs; ++waited) {
      if (::waitpid(pid, nullptr, WNOHANG) != 0) return;
      ::poll(nullptr, 0, 1);
    }
    ::kill(pid, SIGKILL);
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  const pid_t pid;
};

bool make_pipe(os::Fd& from, os::Fd& to) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  from.reset(ends[0]);
  to.reset(ends[1]);
  // A descriptor that has its number in the child already would stay closed there on exec.
  for (os::Fd* end : {&from, &to}) {
    if (end->get() <= STDERR_FILENO) end->reset(::fcntl(end->get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    if (!*end) return false;
  }
  return true;
}

}  // namespace

Result<GuestProcess> start_guest(const std::string& program) {
  Channel channel;
  os::Fd to_read;
  os::Fd to_write;
  if (!make_pipe(to_read, channel.out) || !make_pipe(channel.in, to_write)) {
    return make_error(ErrorCode::unavailable, "no pipe to a guest could be made").with("errno", std::int64_t{errno});
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to_read.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, to_write.get(), STDOUT_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  std::string name = "berth-guest";
  char* const argv[] = {name.data(), nullptr};
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, program.c_str(), &actions, nullptr, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) return make_error(ErrorCode::not_found, "there is no guest program").at(program);
  if (error != 0) {
    return make_error(ErrorCode::unavailable, "the guest could not be started").with("errno", std::int64_t{error});
  }
  channel.transport = std::make_shared<Process>(pid);
  return GuestProcess{std::move(channel), pid};
}

}  // namespace berth::guest
