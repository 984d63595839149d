#include "engine/jobs/keeper/job_keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/commands/supervisor/command_tree.h"
#include "engine/commands/supervisor/messages.h"
#include "engine/jobs/keeper/exit_record.h"
#include "engine/jobs/keeper/journal_writer.h"
#include "engine/jobs/keeper/terminal.h"

namespace berth::supervisor {
namespace {

using job_wire::JobRequest;
using job_wire::JobStarted;
using job_wire::JobStatus;

constexpr int kConnections = 256;  ///< that wait for something; more wait in the backlog
constexpr int kBacklog = 64;
constexpr std::int64_t kTermGraceNs = 2'000'000'000;  ///< limits::kTermGrace
constexpr int kRecordCheckMs = 2000;                  ///< whether the job's directory is still there
/// A terminal does not say how much waits in it; somebody left behind may write for ever.
constexpr std::int64_t kTerminalDrainBytes = 4 * 1024 * 1024;

void close_fd(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

/// Answer with a copy of a descriptor.
void send_with_descriptor(int socket, const JobStatus& status, int descriptor) {
  iovec content{const_cast<JobStatus*>(&status), sizeof status};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
  memset(control, 0, sizeof control);
  msghdr message;
  memset(&message, 0, sizeof message);
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(rights), &descriptor, sizeof descriptor);
  while (sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno == EINTR) {
  }
}

class JobKeeper final {
 public:
  explicit JobKeeper(const JobSetup& setup)
      : setup_(setup), cgroup_(setup.cgroup), tree_(setup.cgroup, setup.handles, "berth-job") {
    for (Connection& connection : connections_) connection.fd = -1;
  }

  /// In this order: what the job needs, its record, its process.
  void start() {
    JobStarted answer;
    if (!listen_for_engines() || !reserve_exit_record(setup_.job)) {
      fail(JobStarted::What::no_record, errno);
    }
    for (int i = 0; i < 2; ++i) journals_[i].open(setup_.job, i, setup_.start.journal_bytes);
    int standard[3] = {-1, -1, -1};
    if (!make_streams(standard)) {
      fail(setup_.start.terminal != 0 ? JobStarted::What::no_terminal : JobStarted::What::no_process, errno);
    }
    if (!give_record()) {
      const bool exists = errno == EEXIST || errno == ENOTEMPTY;
      fail(exists ? JobStarted::What::exists : JobStarted::What::no_record, errno);
    }
    Program program{.argv = setup_.argv, .envp = setup_.envp};
    for (int i = 0; i < 3; ++i) program.standard[i] = standard[i];
    program.directory = setup_.directory;
    program.terminal = setup_.start.terminal != 0;
    const Spawned spawned = tree_.start(program);
    if (spawned.pid < 0) {
      take_record_back();
      fail(spawned.in_directory ? JobStarted::What::no_process : JobStarted::What::no_directory, spawned.error);
    }
    for (int& fd : standard) close_fd(fd);
    close(setup_.directory);
    close(setup_.store);
    answer.what = JobStarted::What::started;
    send_message(setup_.channel, &answer, sizeof answer);
    close(setup_.channel);
    if (setup_.start.timeout_ns > 0) timeout_at_ns_ = now_ns() + setup_.start.timeout_ns;
  }

  [[noreturn]] void serve() {
    for (;;) {
      pollfd waits[4 + kConnections];
      waits[0] = {tree_.signals(), POLLIN, 0};
      waits[1] = {outputs_[0], POLLIN, 0};
      waits[2] = {outputs_[1], POLLIN, 0};
      waits[3] = {place_for_connection() != nullptr ? listener_ : -1, POLLIN, 0};
      for (int i = 0; i < kConnections; ++i) waits[4 + i] = {connections_[i].fd, POLLIN, 0};
      if (poll(waits, 4 + kConnections, patience_ms()) < 0 && errno != EINTR) abort();
      for (int i = 0; i < 2; ++i) {
        if (waits[1 + i].revents != 0) read_output(i);
      }
      tree_.reap();
      on_reaped();
      for (int i = 0; i < kConnections; ++i) {
        if (waits[4 + i].revents != 0) on_request(connections_[i]);
      }
      if (waits[3].revents != 0) accept_connection();
      on_time();
      answer_waiting();
      if (state_ == State::done) leave();
    }
  }

 private:
  enum class State {
    running,    ///< or being ended
    following,  ///< the job has ended; what it left behind lives on, or is being ended
    done        ///< nothing is left
  };

  struct Connection {
    int fd = -1;
    bool waiting = false;
    JobRequest request;
  };

  bool ended() const { return state_ != State::running; }

  // Starting.

  bool listen_for_engines() {
    listener_ = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener_ < 0) return false;
    // A short name in the current directory: names of sockets hold 107 bytes at most.
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    snprintf(address.sun_path, sizeof address.sun_path, "%s", job_wire::kControlName);
    const mode_t before = umask(0177);
    const bool bound = fchdir(setup_.job) == 0 &&
                       bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
                       listen(listener_, kBacklog) == 0;
    const int error = errno;
    umask(before);
    [[maybe_unused]] const int moved = chdir("/");
    errno = error;
    return bound;
  }

  bool make_streams(int (&standard)[3]) {
    standard[0] = setup_.stdin_file;
    if (setup_.start.terminal != 0) {
      const Terminal terminal = open_terminal(static_cast<unsigned short>(setup_.start.rows),
                                              static_cast<unsigned short>(setup_.start.columns));
      if (terminal.ours < 0) return false;
      outputs_[0] = terminal.ours;
      terminal_ = true;
      // Three descriptors, because each is closed after the start.
      standard[0] = terminal.theirs;
      standard[1] = fcntl(terminal.theirs, F_DUPFD_CLOEXEC, 3);
      standard[2] = fcntl(terminal.theirs, F_DUPFD_CLOEXEC, 3);
      peer_ = fcntl(terminal.theirs, F_DUPFD_CLOEXEC, 3);
      input_ = fcntl(terminal.ours, F_DUPFD_CLOEXEC, 3);
      return standard[1] >= 0 && standard[2] >= 0 && peer_ >= 0 && input_ >= 0;
    }
    for (int i = 0; i < 2; ++i) {
      int ends[2];
      if (pipe2(ends, O_CLOEXEC) != 0) return false;
      outputs_[i] = ends[0];
      standard[1 + i] = ends[1];
      fcntl(ends[0], F_SETFL, O_NONBLOCK);
    }
    if (standard[0] >= 0) return true;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    standard[0] = ends[0];
    input_ = ends[1];
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    return true;
  }

  /// From here on the job can be found. Never replaces another's record.
  bool give_record() {
    const auto& start = setup_.start;
    if (syscall(SYS_renameat2, setup_.store, start.unborn_name, setup_.store, start.name, 1U /* RENAME_NOREPLACE */) ==
        0) {
      return true;
    }
    if (errno != ENOSYS && errno != EINVAL) return false;
    // A directory is not replaced by another unless it is empty, and no job's is.
    return renameat(setup_.store, start.unborn_name, setup_.store, start.name) == 0;
  }

  void take_record_back() { renameat(setup_.store, setup_.start.name, setup_.store, setup_.start.unborn_name); }

  [[noreturn]] void fail(JobStarted::What what, int error) {
    JobStarted answer;
    answer.what = what;
    answer.error = error;
    cgroup_.remove_keeper();
    send_message(setup_.channel, &answer, sizeof answer);
    _exit(0);
  }

  // Output.

  /// Take what is there now, once.
  std::int64_t read_output(int stream) {
    static char buffer[64 * 1024];
    int& from = outputs_[stream];
    if (from < 0) return 0;
    ssize_t got = 0;
    do {
      got = read(from, buffer, sizeof buffer);
    } while (got < 0 && errno == EINTR);
    if (got > 0) {
      // What is written after the job has ended is not its output: taken, so that nobody blocks on it, and let go.
      if (!ended()) journals_[stream].write(buffer, static_cast<std::size_t>(got));
      return got;
    }
    if (got == 0 || errno != EAGAIN) close_fd(from);
    return 0;
  }

  /// Take everything that was written before the command's end.
  void drain(int stream) {
    int waiting = 0;
    std::int64_t left = kTerminalDrainBytes;
    if (!terminal_) {
      if (outputs_[stream] < 0 || ioctl(outputs_[stream], FIONREAD, &waiting) != 0) return;
      left = waiting;
    }
    while (left > 0) {
      const std::int64_t got = read_output(stream);
      if (got == 0) return;
      left -= got;
    }
  }

  // The tree.

  void on_reaped() {
    if (state_ == State::running) {
      if (tree_.is_ending() ? tree_.has_ended() || tree_.gives_up() : tree_.command_has_ended()) end_job();
    } else if (state_ == State::following) {
      if (tree_.is_ending() && tree_.has_ended()) tree_.finish_end();
      if (tree_.childless()) state_ = State::done;
    }
  }

  void begin_end(wire::Scope scope, std::int64_t grace_ns, const char* why) {
    if (state_ == State::done) return;
    if (state_ == State::running && !tree_.is_ending()) ended_by_ = why;
    tree_.begin_end(scope, grace_ns);
  }

  /// The job is over: its output is complete and its record says how it was.
  void end_job() {
    for (int i = 0; i < 2; ++i) drain(i);
    const std::size_t survivors = tree_.is_ending() ? tree_.survivors() : 0;
    // The promise is that nothing survives: with survivors, go on trying.
    if (survivors == 0 && tree_.is_ending()) tree_.finish_end();
    ExitRecord record;
    const int status = tree_.wait_status();
    if (!tree_.command_has_ended()) {
      record.reason = "it could not be ended";
    } else if (WIFEXITED(status)) {
      record.kind = ExitRecord::Kind::exited;
      record.number = WEXITSTATUS(status);
    } else {
      record.kind = ExitRecord::Kind::signaled;
      record.number = WTERMSIG(status);
    }
    record.ended_by = ended_by_;
    record.survivors = static_cast<std::uint32_t>(survivors);
    record.process = tree_.group();
    record.duration_ns = duration_ns_ = tree_.duration_ns();
    for (int i = 0; i < 2; ++i) {
      record.total_bytes[i] = journals_[i].total_bytes();
      record.dropped_bytes[i] = journals_[i].dropped_bytes();
    }
    close_fd(input_);
    close_fd(peer_);
    write_exit_record(setup_.job, record);
    state_ = tree_.childless() ? State::done : State::following;
  }

  // Time.

  int patience_ms() const {
    int patience = tree_.patience_ms();
    const auto at_most = [&patience](int milliseconds) {
      if (patience < 0 || milliseconds < patience) patience = milliseconds;
    };
    if (state_ != State::running || tree_.is_ending()) return patience;
    at_most(kRecordCheckMs);
    if (timeout_at_ns_ != 0) at_most(milliseconds_until(timeout_at_ns_));
    return patience;
  }

  void on_time() {
    tree_.end_step();
    on_reaped();
    if (state_ != State::running || tree_.is_ending()) return;
    const std::int64_t now = now_ns();
    if (timeout_at_ns_ != 0 && now >= timeout_at_ns_) {
      begin_end(setup_.start.timeout_scope, kTermGraceNs, "timeout");
      return;
    }
    if (now < check_record_at_ns_) return;
    check_record_at_ns_ = now + std::int64_t{kRecordCheckMs} * 1'000'000;
    struct stat status;
    if (fstat(setup_.job, &status) == 0 && status.st_nlink == 0) begin_end(wire::Scope::tree, kTermGraceNs, "stop");
  }

  // Engines.

  /// A free one, or one that asks nothing, so that nobody keeps the others out by holding connections.
  Connection* place_for_connection() {
    Connection* place = nullptr;
    for (Connection& connection : connections_) {
      if (connection.fd < 0) return &connection;
      if (!connection.waiting && place == nullptr) place = &connection;
    }
    return place;
  }

  void accept_connection() {
    Connection* place = place_for_connection();
    if (place == nullptr) return;
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) return;
    disconnect(*place);
    place->fd = fd;
  }

  void disconnect(Connection& connection) {
    close_fd(connection.fd);
    connection.waiting = false;
  }

  JobStatus status() const {
    JobStatus status;
    status.ended = ended() ? 1 : 0;
    status.left_processes = state_ == State::following ? 1 : 0;
    status.stdin_open = input_ >= 0 && !ended() ? 1 : 0;
    status.process = tree_.group();
    status.duration_ns = ended() ? duration_ns_ : tree_.duration_ns();
    for (int i = 0; i < 2; ++i) {
      status.total_bytes[i] = journals_[i].total_bytes();
      status.dropped_bytes[i] = journals_[i].dropped_bytes();
    }
    return status;
  }

  void on_request(Connection& connection) {
    JobRequest request;
    Received received = receive(connection.fd, &request, sizeof request);
    received.close_descriptors();
    if (received.bytes < 0 && errno == EAGAIN) return;
    if (received.bytes != sizeof request || request.version != job_wire::kVersion || request.stream > 1) {
      disconnect(connection);
      return;
    }
    connection.request = request;
    connection.waiting = true;
    switch (request.kind) {
      case JobRequest::Kind::status: return answer(connection, true);
      case JobRequest::Kind::signal: return answer(connection, send_signal(static_cast<int>(request.number)));
      case JobRequest::Kind::stop:
        begin_end(wire::Scope::tree, request.number, "stop");
        return answer(connection, true);
      case JobRequest::Kind::close_input: close_input(); return answer(connection, true);
      case JobRequest::Kind::input: return hand_out_input(connection);
      case JobRequest::Kind::resize:
        return answer(connection, terminal_ && !ended() &&
                                      resize_terminal(outputs_[0], static_cast<unsigned short>(request.number),
                                                      static_cast<unsigned short>(request.columns)));
      case JobRequest::Kind::wait_output:
      case JobRequest::Kind::wait_end:
      case JobRequest::Kind::wait_empty: return;  // answered below
    }
    disconnect(connection);
  }

  void answer(Connection& connection, bool done) {
    JobStatus now = status();
    now.done = done ? 1 : 0;
    connection.waiting = false;
    send_message(connection.fd, &now, sizeof now);
  }

  void answer_waiting() {
    for (Connection& connection : connections_) {
      if (!connection.waiting) continue;
      const JobRequest& request = connection.request;
      if (!ended()) {
        if (request.kind != JobRequest::Kind::wait_output) continue;
        if (journals_[request.stream].total_bytes() <= request.number) continue;
      } else if (request.kind == JobRequest::Kind::wait_empty && state_ != State::done) {
        continue;
      }
      answer(connection, true);
    }
  }

  bool send_signal(int number) {
    if (ended()) return false;
    if (number == SIGKILL) {
      begin_end(wire::Scope::tree, 0, "stop");
      return true;
    }
    // Not reaped yet, so the group's number is still the job's.
    return !tree_.command_has_ended() && ::kill(-tree_.group(), number) == 0;
  }

  void hand_out_input(Connection& connection) {
    if (input_ < 0 || ended()) return answer(connection, false);
    JobStatus now = status();
    now.done = 1;
    connection.waiting = false;
    send_with_descriptor(connection.fd, now, input_);
  }

  void close_input() {
    // A terminal stays; its end of file is a character that the engine writes.
    if (!terminal_) close_fd(input_);
  }

  [[noreturn]] void leave() {
    unlinkat(setup_.job, job_wire::kControlName, 0);
    cgroup_.remove_keeper();
    _exit(0);
  }

  const JobSetup& setup_;
  Cgroup& cgroup_;
  CommandTree tree_;
  int listener_ = -1;
  int outputs_[2] = {-1, -1};
  int input_ = -1;
  int peer_ = -1;  ///< the job's end of its terminal: one that nobody has open would be ready for ever
  bool terminal_ = false;
  JournalWriter journals_[2];
  Connection connections_[kConnections];

  State state_ = State::running;
  std::int64_t duration_ns_ = 0;  ///< when it has ended
  std::int64_t timeout_at_ns_ = 0;
  std::int64_t check_record_at_ns_ = 0;
  const char* ended_by_ = "itself";
};

}  // namespace

void run_job_keeper(const JobSetup& setup) {
  static JobKeeper keeper(setup);
  keeper.start();
  keeper.serve();
}

}  // namespace berth::supervisor
