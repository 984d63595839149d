#pragma once

#include <sys/types.h>

#include <mutex>
#include <unordered_set>

namespace berth::engine {

/// Removes the temporary files that crashed processes left in a directory (C-WRITE-4), once per directory.
///
/// A writer holds the flock of its temporary file until the file is in place or removed, and the kernel drops it when
/// the process dies. So a file with a temporary name whose lock is free is nobody's, however young; one that is locked
/// is left alone. A writer that has made its file but not locked it yet can lose it; it notices and begins again.
/// Any number of threads.
class TempSweep {
 public:
  /// Sweep the directory when this object has not done so before. Never fails: what cannot be opened is left.
  /// `directory` is any descriptor of it, O_PATH too.
  void sweep_once(int directory);

  /// Sweep a directory now; `readable` is open for reading.
  static void sweep(int readable);

 private:
  /// Forgetting costs a second sweep of a directory, nothing else.
  static constexpr std::size_t kMaxRemembered = 16 * 1024;

  struct Key {
    dev_t device;
    ino_t inode;

    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept { return key.inode * 31 + key.device; }
  };

  std::mutex mutex_;
  std::unordered_set<Key, KeyHash> swept_;
};

}  // namespace berth::engine
