#include "engine/commands/supervisor/payload.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

namespace berth::supervisor {

Payload::~Payload() {
  free(pointers_);
  if (mapped_ != nullptr) munmap(mapped_, mapped_bytes_);
}

bool Payload::read(const wire::RunRequest& request, char* inline_bytes, std::size_t inline_size, int file) {
  char* bytes = inline_bytes;
  if (request.in_file != 0) {
    void* memory = mmap(nullptr, request.payload_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    if (memory == MAP_FAILED) return false;
    mapped_ = memory;
    mapped_bytes_ = request.payload_bytes;
    bytes = static_cast<char*>(memory);
  } else if (request.payload_bytes != inline_size) {
    return false;
  }
  const std::size_t strings = std::size_t{request.words} + request.variables;
  pointers_ = static_cast<char**>(calloc(strings + 2, sizeof(char*)));
  if (pointers_ == nullptr || request.words == 0) return false;
  std::size_t position = 0;
  for (std::size_t i = 0; i < strings; ++i) {
    const void* end = memchr(bytes + position, '\0', request.payload_bytes - position);
    if (end == nullptr) return false;
    pointers_[i < request.words ? i : i + 1] = bytes + position;
    position = static_cast<std::size_t>(static_cast<const char*>(end) - bytes) + 1;
  }
  words_ = request.words;
  return true;
}

}  // namespace berth::supervisor
