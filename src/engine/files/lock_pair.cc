#include "engine/files/lock_pair.h"

#include <sys/stat.h>

#include <cerrno>
#include <tuple>
#include <utility>

namespace berth::engine {

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
