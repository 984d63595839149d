#pragma once

#include <optional>

#include "base/call.h"
#include "os/directory_lock.h"

namespace berth::engine {

/// Whether a change may go on without the lock where a directory cannot be locked because it cannot be read.
enum class LockNeed {
  required,        ///< what was compared must still hold: `permission_denied`
  where_possible   ///< the change is atomic by itself; the lock orders it with compare-and-swaps
};

/// Lock a directory for a change of its entries (C-WRITE-12).
Result<std::optional<os::DirectoryLock>> lock_for_change(const Call& call, int directory, LockNeed need);

/// Both parents of a move, locked in one order everywhere, so that two moves never wait for each other.
struct LockedPair {
  std::optional<os::DirectoryLock> first;
  std::optional<os::DirectoryLock> second;  ///< empty when both are one directory
};
Result<LockedPair> lock_pair(const Call& call, int one, int other);

}  // namespace berth::engine
