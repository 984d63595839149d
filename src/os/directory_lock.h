#pragma once

#include "base/call.h"
#include "base/result.h"
#include "os/fd.h"

namespace berth::os {

/// Exclusion by flock(2) on a directory's own descriptor (C-WRITE-12): no lock files, works across processes, users and
/// bind mounts. Held until destroyed; movable. Waiting honours the call; threads of one process queue fairly first.
class DirectoryLock {
 public:
  /// Lock the directory that `directory` (any descriptor of it, O_PATH too) refers to.
  static Result<DirectoryLock> take(const Call& call, int directory);

  DirectoryLock(DirectoryLock&&) noexcept = default;
  DirectoryLock& operator=(DirectoryLock&&) noexcept = default;

 private:
  explicit DirectoryLock(Fd locked) noexcept : locked_(std::move(locked)) {}

  Fd locked_;
};

}  // namespace berth::os
