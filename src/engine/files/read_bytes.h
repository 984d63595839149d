#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "base/call.h"

namespace berth::engine {

/// Read until `length` bytes are there or the file ends; returns how many there are. EINTR is retried.
Result<std::size_t> read_at(int fd, std::int64_t offset, char* buffer, std::size_t length);

/// Read up to `length` bytes from `offset`; fewer only when the file ends. The call is honoured between pieces.
/// `too_large` when there is no memory for them.
Result<Bytes> read_bytes(const Call& call, int fd, std::int64_t offset, std::int64_t length);

/// Whether the file still holds exactly `expected` at `offset`.
Result<bool> holds_bytes(const Call& call, int fd, std::int64_t offset, BytesView expected);

/// Read from the start to wherever the file ends, whatever its size says (procfs, sysfs). The call is honoured.
Result<Bytes> read_to_end(const Call& call, int fd);

}  // namespace berth::engine
