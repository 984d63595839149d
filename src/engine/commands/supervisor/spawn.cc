#include "engine/commands/supervisor/spawn.h"

#include <errno.h>
#include <limits.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

namespace berth::supervisor {
namespace {

constexpr const char* kDefaultSearch = "/usr/local/bin:/usr/bin:/bin";
constexpr int kNotFound = 127;
constexpr int kNotExecutable = 126;

/// What a child shares with its parent until it executes or exits.
struct Launch {
  const Program* program;
  char* const* shell_argv;  ///< argv with room for `/bin/sh FILE` instead of the first word
  volatile int error = 0;
  volatile bool in_directory = true;
};

const char* search_path(char* const* envp) {
  for (; *envp != nullptr; ++envp) {
    if (strncmp(*envp, "PATH=", 5) == 0) return *envp + 5;
  }
  return kDefaultSearch;
}

[[noreturn]] void refuse(const char* name, const char* why, int code) {
  constexpr char kColon[] = ": ";
  constexpr char kEnd[] = "\n";
  const iovec parts[] = {{const_cast<char*>(name), strlen(name)},
                         {const_cast<char*>(kColon), 2},
                         {const_cast<char*>(why), strlen(why)},
                         {const_cast<char*>(kEnd), 1}};
  [[maybe_unused]] const ssize_t written = writev(STDERR_FILENO, parts, 4);
  _exit(code);
}

const char* describe(int error) {
  switch (error) {
    case EACCES:
    case EPERM: return "permission denied";
    case E2BIG: return "argument list too long";
    case ENOENT: return "its interpreter was not found";
    case ETXTBSY: return "the file is being written";
    case ENOMEM: return "not enough memory";
    case ELOOP: return "too many links";
    case EMFILE:
    case ENFILE: return "too many open files";
    default: return "cannot be executed";
  }
}

/// Execute one file; returns the errno value when that fails.
int execute(const char* file, const Launch& launch) {
  execve(file, launch.program->argv, launch.program->envp);
  if (errno != ENOEXEC) return errno;
  // A script without a first line that names its interpreter. The words follow: sh FILE WORD...
  auto** words = const_cast<char**>(launch.shell_argv);
  words[1] = const_cast<char*>(file);
  execve("/bin/sh", words, launch.program->envp);
  return errno;
}

enum class Found { no, yes };

/// Whether a failed execution was of something that is there: a program that cannot run, not a missing one.
Found is_there(const char* file, int error) {
  if (error == ENOTDIR || error == ENAMETOOLONG) return Found::no;
  if (error != ENOENT && error != EACCES) return Found::yes;
  struct stat status;
  return stat(file, &status) == 0 ? Found::yes : Found::no;
}

[[noreturn]] void execute_named(const char* name, const Launch& launch) {
  const int error = execute(name, launch);
  struct stat status;
  if (error == EACCES && stat(name, &status) == 0 && S_ISDIR(status.st_mode)) {
    refuse(name, "is a directory", kNotExecutable);
  }
  // What lies behind a directory that may not be searched is not known to be missing.
  if (error == EACCES || is_there(name, error) == Found::yes) refuse(name, describe(error), kNotExecutable);
  refuse(name, "not found", kNotFound);
}

[[noreturn]] void execute_searched(const char* name, const Launch& launch) {
  const std::size_t name_bytes = strlen(name);
  int found_error = 0;
  char file[PATH_MAX];
  const char* at = search_path(launch.program->envp);
  while (name_bytes <= NAME_MAX) {
    const char* end = strchrnul(at, ':');
    const auto directory_bytes = static_cast<std::size_t>(end - at);
    if (directory_bytes + 1 + name_bytes < sizeof file) {
      // An empty directory is the current one.
      memcpy(file, at, directory_bytes);
      std::size_t length = directory_bytes;
      if (length > 0) file[length++] = '/';
      memcpy(file + length, name, name_bytes + 1);
      const int error = execute(file, launch);
      // A directory that cannot be searched or holds a directory of that name says nothing about the program.
      struct stat status;
      if (is_there(file, error) == Found::yes &&
          !(error == EACCES && (stat(file, &status) != 0 || S_ISDIR(status.st_mode)))) {
        if (error != EACCES && error != ENOENT) refuse(name, describe(error), kNotExecutable);
        if (found_error == 0) found_error = error;
      }
    }
    if (*end == '\0') break;
    at = end + 1;
  }
  if (found_error != 0) refuse(name, describe(found_error), kNotExecutable);
  refuse(name, "command not found", kNotFound);
}

/// What the child does. It borrows the parent's memory: it changes nothing there but `launch`.
[[noreturn, gnu::noinline]] void run_child(Launch& launch) {
  const Program& program = *launch.program;
  setsid();
  if (fchdir(program.directory) != 0) {
    launch.error = errno;
    launch.in_directory = false;
    _exit(kNotExecutable);
  }
  // The descriptors are all above 2 (see the keeper), so none overwrites another.
  for (int i = 0; i < 3; ++i) {
    if (dup2(program.standard[i], i) < 0) {
      launch.error = errno;
      _exit(kNotExecutable);
    }
  }
  if (program.terminal && ioctl(STDIN_FILENO, TIOCSCTTY, 0) != 0) {
    launch.error = errno;
    _exit(kNotExecutable);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const char* name = program.argv[0];
  if (strchr(name, '/') != nullptr) execute_named(name, launch);
  execute_searched(name, launch);
}

/// vfork into a cgroup, by hand: the library has no wrapper. The child continues in this very frame, which is why
/// this must be inlined where the frame lives until the child has gone its way.
[[gnu::always_inline]] inline long vfork_into(clone_args& arguments) {
#if defined(__x86_64__)
  long result = SYS_clone3;
  asm volatile("syscall" : "+a"(result) : "D"(&arguments), "S"(sizeof arguments) : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long number asm("x8") = SYS_clone3;
  register long first asm("x0") = reinterpret_cast<long>(&arguments);
  register long second asm("x1") = sizeof arguments;
  asm volatile("svc #0" : "+r"(first) : "r"(number), "r"(second) : "memory");
  return first;
#else
  (void)arguments;
  return -ENOSYS;
#endif
}

clone_args into(int cgroup) {
  clone_args arguments;
  memset(&arguments, 0, sizeof arguments);
  arguments.flags = CLONE_VM | CLONE_VFORK | CLONE_INTO_CGROUP;
  arguments.exit_signal = SIGCHLD;
  arguments.cgroup = static_cast<unsigned long long>(cgroup);
  return arguments;
}

[[gnu::noinline]] pid_t start_in_cgroup(Launch& launch) {
  clone_args arguments = into(launch.program->cgroup);
  const long pid = vfork_into(arguments);
  if (pid == 0) run_child(launch);
  if (pid < 0) errno = static_cast<int>(-pid);
  return static_cast<pid_t>(pid < 0 ? -1 : pid);
}

[[gnu::noinline]] pid_t start_nothing_in_cgroup(int cgroup) {
  clone_args arguments = into(cgroup);
  const long pid = vfork_into(arguments);
  if (pid == 0) _exit(0);
  return static_cast<pid_t>(pid);
}

[[gnu::noinline]] pid_t start(Launch& launch) {
  const pid_t pid = vfork();
  if (pid == 0) run_child(launch);
  return pid;
}

}  // namespace

Spawned spawn(const Program& program) {
  std::size_t words = 0;
  while (program.argv[words] != nullptr) ++words;
  auto** shell_argv = static_cast<char**>(malloc((words + 2) * sizeof(char*)));
  if (shell_argv == nullptr) return {.error = ENOMEM};
  char shell[] = "/bin/sh";
  shell_argv[0] = shell;
  for (std::size_t i = 1; i <= words; ++i) shell_argv[i + 1] = program.argv[i];

  Launch launch{.program = &program, .shell_argv = shell_argv};
  pid_t pid = program.cgroup >= 0 ? start_in_cgroup(launch) : -1;
  if (pid < 0) pid = start(launch);
  const int error = pid < 0 ? errno : launch.error;
  free(shell_argv);
  if (pid > 0 && error != 0) {
    while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    return {.error = error, .in_directory = launch.in_directory};
  }
  return {.pid = pid, .error = error};
}

bool can_spawn_into(int cgroup) {
  const pid_t pid = start_nothing_in_cgroup(cgroup);
  if (pid < 0) return false;
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace berth::supervisor
