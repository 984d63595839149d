#pragma once

#include <chrono>
#include <memory>

#include "base/call.h"
#include "base/result.h"
#include "os/fd.h"

namespace berth::os {

/// Exclusion by flock(2) on a directory's own descriptor (C-WRITE-12): no lock files, works across processes, users and
/// bind mounts. Held until destroyed; movable. Waiting honours the call; threads of one process queue fairly first.
///
/// flock needs a descriptor open for reading. A directory that may be searched but not read cannot be locked so; there
/// only the threads of this process exclude each other. Not recursive: a thread that takes a lock twice waits for
/// itself.
class DirectoryLock {
 public:
  /// How long another process may keep the first in the queue waiting. Ours hold a lock for milliseconds.
  static constexpr std::chrono::seconds kPatience{30};

  /// Lock the directory that `directory` (any descriptor of it, O_PATH too) refers to. `unavailable` when another
  /// process holds the lock for longer than `patience`, also when the call itself has no end.
  static Result<DirectoryLock> take(const Call& call, int directory, std::chrono::nanoseconds patience = kPatience);

  DirectoryLock(DirectoryLock&&) noexcept;
  DirectoryLock& operator=(DirectoryLock&&) noexcept;
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;
  ~DirectoryLock();

 private:
  class Place;
  DirectoryLock(Fd locked, std::unique_ptr<Place> place) noexcept;
  void release() noexcept;

  Fd locked_;                     ///< none for a directory that may not be read
  std::unique_ptr<Place> place_;  ///< the first place in the queue, kept while locked; none when nobody waited
};

}  // namespace berth::os
