#include "engine/commands/supervisor/keeper.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/commands/supervisor/command_tree.h"
#include "engine/commands/supervisor/messages.h"
#include "engine/commands/supervisor/payload.h"
#include "engine/commands/wire.h"

namespace berth::supervisor {
namespace {

using wire::Report;

constexpr std::int64_t kTermGraceNs = 2'000'000'000;  ///< limits::kTermGrace, for a tree whose engine has gone

class Keeper final {
 public:
  explicit Keeper(const KeeperSetup& setup)
      : channel_(setup.channel),
        client_(setup.client),
        cgroup_(setup.cgroup),
        tree_(setup.cgroup, setup.handles, "berth-keeper") {}

  [[noreturn]] void serve() {
    for (;;) {
      pollfd waits[] = {{channel_, POLLIN, 0},
                        {client_, POLLIN, 0},
                        {tree_.signals(), POLLIN, 0},
                        {drains_[0], POLLIN, 0},
                        {drains_[1], POLLIN, 0}};
      if (poll(waits, 5, tree_.patience_ms()) < 0 && errno != EINTR) abort();
      if (state_ != State::idle) tree_.reap();
      on_reaped();
      if (waits[0].revents != 0) on_channel();
      if (waits[1].revents != 0) on_client_gone();
      for (int i = 0; i < 2; ++i) {
        if (waits[3 + i].revents != 0) drain(drains_[i]);
      }
      tree_.end_step();
      on_reaped();
      if (channel_ < 0 && state_ == State::idle) leave();
    }
  }

 private:
  enum class State {
    idle,      ///< no children
    running,   ///< a command that has not ended, or whose tree is being ended
    following  ///< the command was reported; what it left behind lives on
  };

  void on_reaped() {
    if (state_ == State::running && tree_.is_ending()) {
      if (tree_.has_ended() || tree_.gives_up()) finish_end();
    } else if (state_ == State::running && tree_.command_has_ended()) {
      report_.what = Report::What::ended_itself;
      send_report();
    } else if (state_ == State::following && tree_.childless()) {
      if (tree_.is_ending()) tree_.finish_end();
      close_drains();
      state_ = State::idle;
      if (channel_ >= 0) hang_up();
    }
  }

  void on_channel() {
    static char buffer[sizeof(wire::RunRequest) + wire::kInlinePayload];
    Received received = receive(channel_, buffer, sizeof buffer);
    if (received.bytes < 0) {
      if (errno != EAGAIN) on_client_gone();
      return;
    }
    if (received.bytes == 0) {
      on_client_gone();
      return;
    }
    wire::Kind kind{};
    memcpy(&kind, buffer, sizeof kind);
    const auto size = static_cast<std::size_t>(received.bytes);
    if (kind == wire::Kind::run && size >= sizeof(wire::RunRequest) && state_ == State::idle) {
      start(buffer, size, received);
    } else if (kind == wire::Kind::end && size == sizeof(wire::EndRequest) && state_ == State::running) {
      wire::EndRequest request;
      memcpy(&request, buffer, sizeof request);
      tree_.begin_end(request.scope, static_cast<std::int64_t>(request.grace_ns));
    } else if (kind == wire::Kind::release && state_ == State::following) {
      for (int i = 0; i < 2 && i < received.descriptor_count; ++i) {
        drains_[i] = received.descriptors[i];
        received.descriptors[i] = -1;
      }
    }
    received.close_descriptors();
  }

  void start(char* message, std::size_t size, const Received& received) {
    wire::RunRequest request;
    memcpy(&request, message, sizeof request);
    report_ = Report{};
    Payload payload;
    if (received.descriptor_count < wire::kPayload ||
        !payload.read(request, message + sizeof request, size - sizeof request, received.descriptors[wire::kPayload])) {
      report_.what = Report::What::no_process;
      report_.error = EPROTO;
      send_message(channel_, &report_, sizeof report_);
      return;
    }
    Program program{.argv = payload.argv(), .envp = payload.envp()};
    for (int i = 0; i < 3; ++i) program.standard[i] = received.descriptors[i];
    program.directory = received.descriptors[wire::kDirectory];
    const Spawned spawned = tree_.start(program);
    if (spawned.pid < 0) {
      report_.what = spawned.in_directory ? Report::What::no_process : Report::What::no_directory;
      report_.error = spawned.error;
      send_message(channel_, &report_, sizeof report_);
      return;
    }
    state_ = State::running;
  }

  void finish_end() {
    report_.what = Report::What::was_ended;
    report_.survivors = static_cast<std::uint32_t>(tree_.survivors());
    // The promise is that nothing of a tree survives: go on trying after the report.
    if (report_.survivors == 0 || tree_.scope() == wire::Scope::group) tree_.finish_end();
    send_report();
  }

  /// Say how it ended, and go on to what is left of it.
  void send_report() {
    report_.wait_status = tree_.wait_status();
    report_.duration_ns = tree_.duration_ns();
    report_.children_remain = tree_.childless() ? 0 : 1;
    send_message(channel_, &report_, sizeof report_);
    state_ = tree_.childless() ? State::idle : State::following;
  }

  /// The engine closed the channel or its process ended.
  void on_client_gone() {
    hang_up();
    if (state_ == State::running) tree_.begin_end(wire::Scope::tree, kTermGraceNs);
  }

  void hang_up() {
    if (channel_ >= 0) close(channel_);
    if (client_ >= 0) close(client_);
    channel_ = -1;
    client_ = -1;
  }

  /// Take what a left-behind process writes, so that it neither blocks nor gets SIGPIPE.
  void drain(int& pipe) {
    static char buffer[64 * 1024];
    ssize_t got = 0;
    do {
      got = read(pipe, buffer, sizeof buffer);
    } while (got < 0 && errno == EINTR);
    if (got > 0 || (got < 0 && errno == EAGAIN)) return;
    close(pipe);
    pipe = -1;
  }

  void close_drains() {
    for (int& pipe : drains_) {
      if (pipe >= 0) close(pipe);
      pipe = -1;
    }
  }

  [[noreturn]] void leave() {
    cgroup_.remove_keeper();
    _exit(0);
  }

  int channel_;
  int client_;
  int drains_[2] = {-1, -1};
  Cgroup& cgroup_;
  CommandTree tree_;

  State state_ = State::idle;
  Report report_;
};

}  // namespace

void run_keeper(const KeeperSetup& setup) {
  Keeper keeper(setup);
  keeper.serve();
}

}  // namespace berth::supervisor
