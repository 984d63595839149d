#include "engine/commands/supervisor_client.h"

#include <fcntl.h>
#include <linux/sockios.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "engine/commands/supervisor_image.h"
#include "engine/commands/wire.h"
#include "os/wait.h"

namespace berth::engine {
namespace {

/// Keepers that wait for work. More were needed at once only in a burst.
constexpr std::size_t kIdleKeepers = 16;
/// How long a supervisor may take to leave before it is killed.
constexpr int kLeaveMs = 1000;
constexpr std::size_t kMaxDescriptors = 8;

bool make_pair(os::Fd& ours, os::Fd& theirs) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return false;
  ours.reset(ends[0]);
  theirs.reset(ends[1]);
  return true;
}

Error no_channel() {
  return make_error(ErrorCode::unavailable, "no channel to start a command could be made")
      .with("errno", std::int64_t{errno});
}

}  // namespace

int send_with_descriptors(int socket, BytesView message, std::span<const int> descriptors) {
  iovec content{const_cast<char*>(message.data()), message.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(kMaxDescriptors * sizeof(int))];
  msghdr header{};
  header.msg_iov = &content;
  header.msg_iovlen = 1;
  if (!descriptors.empty()) {
    std::memset(control, 0, sizeof control);
    header.msg_control = control;
    header.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr* rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(rights), descriptors.data(), descriptors.size_bytes());
  }
  while (::sendmsg(socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

SupervisorClient::SupervisorClient(const os::Features& features) : features_(features), owner_(::getpid()) {}

SupervisorClient::~SupervisorClient() {
  forget_after_fork();
  idle_.clear();
  end_process();
}

Result<KeeperChannel> SupervisorClient::start(BytesView request, std::span<const int> descriptors) {
  while (true) {
    KeeperChannel keeper;
    bool fresh = false;
    {
      const std::lock_guard lock(mutex_);
      forget_after_fork();
      if (!idle_.empty()) {
        keeper = std::move(idle_.back());
        idle_.pop_back();
      } else {
        BERTH_TRY(keeper, new_keeper());
        fresh = true;
      }
    }
    const int error = send_with_descriptors(keeper.socket.get(), request, descriptors);
    if (error == 0) return keeper;
    // An idle keeper may have been killed; the next one has not seen the request.
    if (!fresh && (error == EPIPE || error == ECONNRESET)) continue;
    return make_error(ErrorCode::unavailable, "the command could not be handed over")
        .with("errno", std::int64_t{error});
  }
}

void SupervisorClient::give_back(KeeperChannel keeper) {
  const std::lock_guard lock(mutex_);
  if (idle_.size() < kIdleKeepers && owner_ == ::getpid()) idle_.push_back(std::move(keeper));
}

bool SupervisorClient::is_untaken(const KeeperChannel& keeper) noexcept {
  // What was sent and not yet received by the other end (unix(7)).
  int bytes = 0;
  return ::ioctl(keeper.socket.get(), SIOCOUTQ, &bytes) == 0 && bytes > 0;
}

void SupervisorClient::abandon(KeeperChannel keeper, const Deadline& deadline) {
  if (ask_to_settle(wire::Kind::kill_keeper, keeper, deadline)) return;
  const std::lock_guard lock(mutex_);
  if (pid_ > 0) ::kill(pid_, SIGKILL);
  end_process();
  idle_.clear();
}

bool SupervisorClient::settle(const KeeperChannel& keeper, const Deadline& deadline) {
  return ask_to_settle(wire::Kind::settle, keeper, deadline);
}

bool SupervisorClient::ask_to_settle(wire::Kind kind, const KeeperChannel& keeper, const Deadline& deadline) {
  os::Fd ours;
  os::Fd theirs;
  if (!make_pair(ours, theirs)) return false;
  {
    const std::lock_guard lock(mutex_);
    const wire::SupervisorRequest request{.kind = kind, .keeper = keeper.number};
    const BytesView message(reinterpret_cast<const char*>(&request), sizeof request);
    const int descriptors[] = {theirs.get()};
    if (!socket_ || send_with_descriptors(socket_.get(), message, descriptors) != 0) return false;
  }
  theirs.reset();
  pollfd waits[] = {{ours.get(), POLLIN, 0}};
  const os::Wakeup nothing{std::stop_token{}};
  if (!os::poll_fds(waits, deadline, nothing)) return false;
  // The supervisor closes the descriptor too when it is killed: only a live one has settled anything.
  const std::lock_guard lock(mutex_);
  pollfd alive{socket_.get(), 0, 0};
  return socket_ && ::poll(&alive, 1, 0) == 0;
}

Result<KeeperChannel> SupervisorClient::new_keeper() {
  KeeperChannel keeper;
  os::Fd theirs;
  if (!make_pair(keeper.socket, theirs)) return no_channel();
  keeper.number = next_number_++;
  const wire::SupervisorRequest request{.kind = wire::Kind::new_keeper, .keeper = keeper.number};
  const BytesView message(reinterpret_cast<const char*>(&request), sizeof request);
  const int descriptors[] = {theirs.get()};
  int error = EPIPE;
  for (int attempt = 0; attempt < 2 && (error == EPIPE || error == ECONNRESET); ++attempt) {
    if (attempt > 0) end_process();
    if (!socket_) BERTH_CHECK(start_process());
    error = send_with_descriptors(socket_.get(), message, descriptors);
  }
  if (error == 0) {
    // A command may have stopped the supervisor, and nobody else continues it.
    if (pid_ > 0) ::kill(pid_, SIGCONT);
    return keeper;
  }
  return make_error(ErrorCode::unavailable, "the process that starts commands does not answer")
      .with("errno", std::int64_t{error});
}

Result<void> SupervisorClient::start_process() {
  os::Fd ours;
  os::Fd theirs;
  if (!make_pair(ours, theirs)) return no_channel();
  BERTH_TRY(pid_, start_supervisor(features_, SupervisorRole::commands, theirs.get()));
  socket_ = std::move(ours);
  return {};
}

void SupervisorClient::end_process() {
  socket_.reset();
  collect_dead();
  if (pid_ < 0) return;
  for (int waited = 0; waited < kLeaveMs; ++waited) {
    const pid_t gone = ::waitpid(pid_, nullptr, WNOHANG);
    // The host program may have collected it itself.
    if (gone == pid_ || (gone < 0 && errno == ECHILD)) {
      pid_ = -1;
      return;
    }
    ::poll(nullptr, 0, 1);
  }
  ::kill(pid_, SIGKILL);
  dead_.push_back(std::exchange(pid_, -1));
  for (int waited = 0; waited < kLeaveMs && !dead_.empty(); ++waited) {
    collect_dead();
    ::poll(nullptr, 0, 1);
  }
}

void SupervisorClient::collect_dead() {
  std::erase_if(dead_, [](pid_t pid) { return ::waitpid(pid, nullptr, WNOHANG) != 0; });
}

void SupervisorClient::forget_after_fork() {
  if (owner_ == ::getpid()) return;
  // The supervisor belongs to the process this one was forked from.
  owner_ = ::getpid();
  pid_ = -1;
  dead_.clear();
  socket_.reset();
  idle_.clear();
}

}  // namespace berth::engine
