#include "engine/commands/supervisor/messages.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

namespace berth::supervisor {

void Received::close_descriptors() {
  for (int i = 0; i < descriptor_count; ++i) {
    if (descriptors[i] >= 0) close(descriptors[i]);
    descriptors[i] = -1;
  }
  descriptor_count = 0;
}

Received receive(int socket, void* buffer, std::size_t size) {
  Received received;
  iovec content{buffer, size};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof received.descriptors)];
  msghdr message;
  memset(&message, 0, sizeof message);
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  do {
    received.bytes = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  } while (received.bytes < 0 && errno == EINTR);
  if (received.bytes < 0) return received;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const auto count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    memcpy(received.descriptors, CMSG_DATA(header), count * sizeof(int));
    received.descriptor_count = static_cast<int>(count);
  }
  return received;
}

void send_message(int socket, const void* message, std::size_t size) {
  while (send(socket, message, size, MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
}

}  // namespace berth::supervisor
