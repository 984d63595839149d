#pragma once

#include <limits.h>

namespace berth::supervisor {

/// A cgroup (v2) of our own below the one this process is in: `berth-PID` for the supervisor, `keeper-PID` in it for
/// each keeper. Only a faster and surer way to end a tree: everything works without it.
class Cgroup {
 public:
  Cgroup() = default;
  Cgroup(const Cgroup&) = delete;
  Cgroup& operator=(const Cgroup&) = delete;

  /// Make the supervisor's group and try it. Where there is none to be had, nothing else here does anything.
  void make_base();
  /// Make this keeper's group in the supervisor's.
  void make_keeper();
  /// Remove this keeper's group, and the supervisor's when it is empty then.
  void remove_keeper();
  void remove_keeper_of(int pid);
  void remove_base();

  /// The open directory, to be born in; -1 where there is none.
  int directory() const { return directory_; }
  /// Kill every process in the keeper's group at once. Afterwards the group must be renewed before another is born.
  void kill();
  /// Replace the keeper's group by a fresh one if it was killed; without processes in it.
  void renew();

 private:
  char base_[PATH_MAX] = {};
  char keeper_[PATH_MAX] = {};
  int directory_ = -1;
  bool killed_ = false;
};

}  // namespace berth::supervisor
