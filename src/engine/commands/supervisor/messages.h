#pragma once

#include <sys/types.h>

#include <cstddef>

namespace berth::supervisor {

/// A received message with its descriptors; the receiver owns those.
struct Received {
  ssize_t bytes = -1;  ///< 0: the other end is closed; -1: nothing came, see errno
  int descriptors[8] = {-1, -1, -1, -1, -1, -1, -1, -1};
  int descriptor_count = 0;

  void close_descriptors();
};

/// Receive one message without waiting.
Received receive(int socket, void* buffer, std::size_t size);

/// Send one message; a closed other end is not an error here, it is seen when receiving.
void send_message(int socket, const void* message, std::size_t size);

}  // namespace berth::supervisor
