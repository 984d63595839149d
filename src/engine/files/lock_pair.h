#pragma once

#include <optional>

#include "base/call.h"
#include "os/directory_lock.h"

namespace berth::engine {

/// Both parents of a move, locked in one order everywhere, so that two moves never wait for each other.
struct LockedPair {
  std::optional<os::DirectoryLock> first;
  std::optional<os::DirectoryLock> second;  ///< empty when both are one directory
};

/// Lock two directories, or one that is given twice. Errors: as `DirectoryLock::take`.
Result<LockedPair> lock_pair(const Call& call, int one, int other);

}  // namespace berth::engine
