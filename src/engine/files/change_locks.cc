#include "engine/files/change_locks.h"

#include <sys/stat.h>

#include <cerrno>
#include <tuple>
#include <utility>

namespace berth::engine {

Result<std::optional<os::DirectoryLock>> lock_for_change(const Call& call, int directory, LockNeed need) {
  auto lock = os::DirectoryLock::take(call, directory);
  if (lock) return std::optional(std::move(*lock));
  if (need == LockNeed::where_possible && lock.error().code == ErrorCode::permission_denied) {
    return std::optional<os::DirectoryLock>();
  }
  return std::move(lock).error();
}

Result<LockedPair> lock_pair(const Call& call, int one, int other) {
  struct stat a;
  struct stat b;
  if (fstat(one, &a) != 0 || fstat(other, &b) != 0) return errno_error(errno, "look at the directory");
  const auto order = [](const struct stat& st) { return std::tuple(st.st_dev, st.st_ino); };
  if (order(b) < order(a)) std::swap(one, other);
  LockedPair pair;
  BERTH_TRY(pair.first, os::DirectoryLock::take(call, one));
  if (order(a) != order(b)) {
    BERTH_TRY(pair.second, os::DirectoryLock::take(call, other));
  }
  return pair;
}

}  // namespace berth::engine
