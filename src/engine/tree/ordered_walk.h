#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/tree/unreadable_list.h"
#include "engine/tree/walk_scope.h"

namespace berth::engine {

/// Some files of one directory, next to each other in the order of a walk.
struct FileBatch {
  static constexpr std::size_t kMostFiles = 64;

  DirectoryHandle directory;
  std::vector<std::string> names;
  std::vector<Unreadable> unreadable;  ///< directories passed on the way here
};

/// Visits all files of a walk in the byte order of their paths. One thread at a time. Memory: the names in the
/// directories on the way down.
class OrderedWalk {
 public:
  explicit OrderedWalk(WalkScope& scope);

  /// The next files; at the end nothing but directories that could not be read, if any. Fails when the call ends.
  Result<FileBatch> next(const Call& call);
  bool at_end() const noexcept { return levels_.empty() && !top_pending_; }

 private:
  struct Entry {
    std::uint64_t first_bytes;
    std::uint32_t offset;
    std::uint16_t length;
    bool is_directory;
  };
  struct Level {
    DirectoryHandle directory;  ///< null while too many are open
    std::shared_ptr<const search::IgnoreLevel> rules;
    Path path;
    std::string text;
    std::vector<Entry> entries;  ///< in order
    std::size_t next = 0;
  };
  class Fill;

  Result<void> enter(const Call& call, const DirectoryHandle& directory, FileBatch& batch);
  Result<bool> hold_open(const Call& call, Level& level, FileBatch& batch);
  void close_outer_levels();
  void leave_finished();

  WalkScope& scope_;
  bool top_pending_ = true;
  std::vector<Level> levels_;
};

}  // namespace berth::engine
