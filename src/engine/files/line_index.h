#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/files/line_pager.h"

namespace berth::engine {

/// Where some lines of a file begin, in file order, so that a page deep inside is found without counting from line 1.
struct LineIndex {
  std::vector<LinePager::Start> marks;
  std::optional<std::int64_t> total_lines;

  /// The last mark at or before a line; the file's start when there is none.
  LinePager::Start mark_before(std::int64_t line) const noexcept;
  /// Add a mark when it lies at least `distance` behind the last one.
  void add(LinePager::Start mark, std::int64_t distance);
};

/// Remembers the line indexes of the big files that were read last. The rule for entries is the revision cache's: only
/// settled files, only for the same device, inode, size, mtime and ctime. Any number of threads.
///
/// Bounded: `kMaxFiles` files with about `kMaxMarks` marks each, 2 MiB in all.
class LineIndexCache {
 public:
  static constexpr std::size_t kMaxFiles = 32;
  static constexpr std::int64_t kMaxMarks = 4096;
  /// Smaller files are scanned faster than they are looked up.
  static constexpr std::int64_t kMinFileBytes = 1024 * 1024;

  /// Bytes between two marks of a file of this size.
  static std::int64_t mark_distance(std::int64_t file_bytes) noexcept;

  /// The index of a file; an empty one when nothing is known.
  std::shared_ptr<const LineIndex> find(const struct stat& st);
  void store(const struct stat& st, std::shared_ptr<const LineIndex> index);

 private:
  struct Entry {
    struct stat stat;
    std::shared_ptr<const LineIndex> index;
  };

  std::mutex mutex_;
  std::list<Entry> entries_;  ///< used last first
};

}  // namespace berth::engine
