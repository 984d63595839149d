#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

/// Finds and signals everything below this process. The supervisor program is single-threaded and uses no exceptions.
namespace berth::supervisor {

/// A list of process ids. Running out of memory ends the program.
class PidList {
 public:
  PidList() = default;
  ~PidList();
  PidList(const PidList&) = delete;
  PidList& operator=(const PidList&) = delete;

  void add(pid_t pid);
  /// Remove one pid; false when it is not in the list.
  bool remove(pid_t pid);
  bool contains(pid_t pid) const;
  void clear() { size_ = 0; }
  std::size_t size() const { return size_; }
  pid_t operator[](std::size_t index) const { return pids_[index]; }

 private:
  pid_t* pids_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// A set of process ids with constant-time lookup.
class PidSet {
 public:
  PidSet();
  ~PidSet();
  PidSet(const PidSet&) = delete;
  PidSet& operator=(const PidSet&) = delete;

  /// Add a pid; false when it was there.
  bool add(pid_t pid);
  bool contains(pid_t pid) const;
  void clear();

 private:
  unsigned char* bits_;
  PidList members_;
};

/// What of the tree below this process is meant.
struct Selection {
  const PidList* except = nullptr;  ///< children of this process that are left alone, with all below them
  pid_t group = 0;                  ///< not 0: only members of this process group
};

/// Whether signals go through handles that cannot come to mean another process.
enum class Handles { pidfd, by_pid };

/// Everything below this process.
///
/// Processes come and go while it is looked at; each one is re-checked to be below this process right before it is
/// signalled. All methods are false when /proc does not tell.
class ProcessTree {
 public:
  explicit ProcessTree(Handles handles) : handles_(handles) {}

  /// List the selected live processes, parents before their children.
  bool list(const Selection& selection, PidList& found);

  /// Ask the selected processes to end; stopped ones are continued so that they see it.
  bool terminate(const Selection& selection);

  /// Stop the selected processes until no unseen one appears, so that nothing starts another behind the sweep, then
  /// kill them all. Parents are stopped before their children are looked for: the sweep outruns a fork bomb.
  bool freeze_and_kill(const Selection& selection);

 private:
  /// Call `visit` for each selected live process before its children are looked for.
  template <typename Visit>
  bool walk(const Selection& selection, Visit visit);
  void signal_member(pid_t pid, int signal);

  Handles handles_;
  PidSet seen_;  ///< in the last walk, whatever the selection
};

}  // namespace berth::supervisor
