// berth-guest: the engine, inside an environment. Speaks the guest protocol (docs/protocol/guest.md) on standard input
// and output, and ends when its input does. Two kinds of process run it: the guest itself and, as its child, the
// supervisor from which commands are started.

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>

#include "engine/commands/supervisor/supervise.h"
#include "engine/commands/supervisor_spawn.h"
#include "guest/program/server.h"

namespace {

using berth::os::Fd;

/// Commands get TERM and their grace when the stream ends; whatever is left then ends with this process.
constexpr std::chrono::seconds kLeaving{5};

/// Move a standard stream away from its number, so that nothing else in this process reads or writes it.
Fd take_standard(int fd, int flags) {
  Fd taken(::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  const Fd null(::open("/dev/null", flags | O_CLOEXEC));
  if (null) {
    ::dup3(null.get(), fd, 0);
  } else {
    ::close(fd);
  }
  return taken;
}

int serve() {
  // A write to a client that has gone is an error like any other, and a terminal's signals are the client's.
  for (const int number : {SIGPIPE, SIGHUP, SIGINT, SIGQUIT}) ::signal(number, SIG_IGN);
  Fd in = take_standard(STDIN_FILENO, O_RDONLY);
  Fd out = take_standard(STDOUT_FILENO, O_WRONLY);
  if (!in || !out) {
    std::fputs("berth-guest: standard input and output must be open\n", stderr);
    return 1;
  }
  int status = 0;
  bool ended = false;
  {
    auto* const server = new berth::guest::Server(std::move(in), std::move(out), berth::guest::open_on_host);
    ended = server->serve(kLeaving);
    if (!server->complaint().empty()) {
      std::fprintf(stderr, "berth-guest: %s\n", server->complaint().c_str());
      status = 1;
    }
    // A call that does not end must not hold up the end of this process.
    if (ended) delete server;
  }
  std::fflush(stderr);
  ::_exit(status);
}

}  // namespace

int main(int argc, char** argv) {
  // It is its own supervisor program, see own_image.cc.
  if (argc == 2 && std::string_view(argv[0]) == berth::engine::kSupervisorName) {
    return berth::supervisor::supervise(argv[1]);
  }
  if (argc == 1) return serve();
  if (argc == 2 && std::string_view(argv[1]) == "--version") {
    std::printf("berth-guest, protocol %d\n", int{berth::guest::kProtocolVersion});
    return 0;
  }
  std::fputs("usage: berth-guest [--version]\nSpeaks the guest protocol of Berth on standard input and output.\n",
             stderr);
  return 64;
}
