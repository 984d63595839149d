#pragma once

#include <cstddef>

#include "engine/commands/wire.h"

namespace berth::supervisor {

/// The words and variables of a request, as execve wants them. The strings stay where they are.
class Payload {
 public:
  Payload() = default;
  ~Payload();
  Payload(const Payload&) = delete;
  Payload& operator=(const Payload&) = delete;

  /// Take them from what follows the request, or from `file` when the request says so. False when the request
  /// contradicts itself.
  bool read(const wire::RunRequest& request, char* inline_bytes, std::size_t inline_size, int file);

  char** argv() const { return pointers_; }
  char** envp() const { return pointers_ + words_ + 1; }

 private:
  char** pointers_ = nullptr;
  std::size_t words_ = 0;
  void* mapped_ = nullptr;
  std::size_t mapped_bytes_ = 0;
};

}  // namespace berth::supervisor
