#include "engine/files/read_bytes.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <stdexcept>

namespace berth::engine {
namespace {

// Small enough that the zeroes of std::string::resize stay in the cache until they are read over.
constexpr std::size_t kPieceBytes = 256 * 1024;

Error no_memory() { return make_error(ErrorCode::too_large, "the file does not fit into memory; read it in pages"); }

/// Append up to `length` bytes; returns how many were appended.
Result<std::size_t> append_piece(int fd, Bytes& content, std::int64_t offset, std::size_t length) {
  const std::size_t start = content.size();
  content.resize(start + length);
  auto got = read_at(fd, offset, content.data() + start, length);
  if (got) content.resize(start + *got);
  return got;
}

}  // namespace

Result<std::size_t> read_at(int fd, std::int64_t offset, char* buffer, std::size_t length) {
  std::size_t filled = 0;
  while (filled < length) {
    const ssize_t got = pread(fd, buffer + filled, length - filled, offset + static_cast<std::int64_t>(filled));
    if (got == 0) break;
    if (got > 0) {
      filled += static_cast<std::size_t>(got);
    } else if (errno != EINTR) {
      return errno_error(errno, "read the file");
    }
  }
  return filled;
}

Result<Bytes> read_bytes(const Call& call, int fd, std::int64_t offset, std::int64_t length) try {
  Bytes content;
  content.reserve(static_cast<std::size_t>(length));
  while (static_cast<std::int64_t>(content.size()) < length) {
    const auto filled = static_cast<std::int64_t>(content.size());
    if (filled > 0) BERTH_CHECK(call.check());
    const std::size_t piece = std::min(kPieceBytes, static_cast<std::size_t>(length - filled));
    BERTH_TRY(const std::size_t got, append_piece(fd, content, offset + filled, piece));
    if (got < piece) break;
  }
  return content;
} catch (const std::bad_alloc&) {
  return no_memory();
} catch (const std::length_error&) {
  return no_memory();
}

Result<bool> holds_bytes(const Call& call, int fd, std::int64_t offset, BytesView expected) {
  std::array<char, 16 * 1024> buffer;
  for (std::size_t done = 0; done < expected.size();) {
    if (done > 0) BERTH_CHECK(call.check());
    const std::size_t length = std::min(buffer.size(), expected.size() - done);
    BERTH_TRY(const std::size_t got, read_at(fd, offset + static_cast<std::int64_t>(done), buffer.data(), length));
    if (got != length || std::memcmp(buffer.data(), expected.data() + done, length) != 0) return false;
    done += length;
  }
  return true;
}

Result<Bytes> read_to_end(const Call& call, int fd) try {
  Bytes content;
  for (;;) {
    BERTH_CHECK(call.check());
    BERTH_TRY(const std::size_t got, append_piece(fd, content, static_cast<std::int64_t>(content.size()), kPieceBytes));
    if (got < kPieceBytes) return content;
  }
} catch (const std::bad_alloc&) {
  return no_memory();
} catch (const std::length_error&) {
  return no_memory();
}

}  // namespace berth::engine
