#include "engine/jobs/keeper_connection.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace berth::engine {
namespace {

constexpr std::chrono::milliseconds kBacklogPause{2};

/// The keeper's socket by the directory that is held open: names of sockets hold 107 bytes at most.
sockaddr_un address_in(int directory) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const auto name = "/proc/self/fd/" + std::to_string(directory) + "/" + job_wire::kControlName;
  std::memcpy(address.sun_path, name.c_str(), name.size() + 1);
  return address;
}

bool has_proc(int directory) {
  struct stat status {};
  return ::stat(("/proc/self/fd/" + std::to_string(directory)).c_str(), &status) == 0;
}

}  // namespace

Result<std::optional<KeeperConnection>> KeeperConnection::open(const Call& call, int job_directory) {
  const auto address = address_in(job_directory);
  while (true) {
    os::Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket) return errno_error(errno, "reach the process that watches the job");
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
      return std::optional<KeeperConnection>(KeeperConnection(std::move(socket)));
    }
    if (errno == EAGAIN) {
      BERTH_CHECK(os::pause(call, kBacklogPause));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno == ECONNREFUSED || (errno == ENOENT && has_proc(job_directory))) {
      return std::optional<KeeperConnection>();
    }
    if (errno == ENOENT) {
      return make_error(ErrorCode::unavailable, "the process that watches the job cannot be reached without /proc");
    }
    return errno_error(errno, "reach the process that watches the job");
  }
}

void KeeperConnection::send(const job_wire::JobRequest& request) {
  while (::send(socket_.get(), &request, sizeof request, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno == EINTR) {
  }
}

Result<std::optional<job_wire::JobStatus>> KeeperConnection::receive(const Deadline& deadline, const os::Wakeup& wakeup,
                                                                     os::Fd* descriptor) {
  using Answer = std::optional<job_wire::JobStatus>;
  while (true) {
    std::array<pollfd, 1> waits = {{{socket_.get(), POLLIN, 0}}};
    BERTH_CHECK(os::poll_fds(waits, deadline, wakeup));
    job_wire::JobStatus status;
    iovec content{&status, sizeof status};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    msghdr message{};
    message.msg_iov = &content;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t got = ::recvmsg(socket_.get(), &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) return Answer();
    for (const cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
         header = CMSG_NXTHDR(&message, const_cast<cmsghdr*>(header))) {
      if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
      int number = -1;
      std::memcpy(&number, CMSG_DATA(header), sizeof number);
      os::Fd received(number);
      if (descriptor != nullptr) *descriptor = std::move(received);
    }
    if (got != sizeof status || status.version != job_wire::kVersion) {
      return make_error(ErrorCode::protocol, "the job was started by another version that cannot be talked to");
    }
    return Answer(status);
  }
}

}  // namespace berth::engine
