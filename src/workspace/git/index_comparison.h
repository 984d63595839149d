#pragma once

#include <mutex>
#include <span>
#include <vector>

#include "workspace/git/index_entries.h"

namespace berth::git {

/// Compares the names of a work tree with the entries of an index, directory by directory.
class IndexComparison final : public SurveyVisitor {
 public:
  /// A tracked file that is not, or may not be, what its entry names.
  struct Changed {
    const IndexEntry* entry = nullptr;
    char letter = 'M';  ///< as `git status` would say: M, D or T
    bool is_certain = true;
    std::uint64_t size = 0;  ///< of the file
  };

  /// `entries` lie below `prefix`, where the survey begins; it ends with a slash or is empty. Both outlive the object.
  IndexComparison(std::span<const IndexEntry> entries, BytesView prefix, std::int64_t index_time)
      : entries_(entries), prefix_(prefix), index_time_(index_time), seen_(entries.size(), 0) {}

  bool enter(const Path& directory) override;
  void directory(const Path& directory, std::span<const SurveyedName> names) override;

  /// After the survey: what is different, missing files included, in no order.
  std::vector<Changed> take_changed();
  /// Files and links that the index does not hold, and directories of which it holds nothing, below the root. Special
  /// files do not count.
  std::vector<Path> take_untracked_files() { return std::move(untracked_files_); }
  std::vector<Path> take_untracked_directories() { return std::move(untracked_directories_); }

 private:
  Bytes full_name(const Path& directory) const;

  const std::span<const IndexEntry> entries_;
  const BytesView prefix_;
  const std::int64_t index_time_;
  std::vector<unsigned char> seen_;  ///< by entry; each belongs to one directory, so to one thread
  std::mutex mutex_;
  std::vector<Changed> changed_;
  std::vector<Path> untracked_files_;
  std::vector<Path> untracked_directories_;
};

}  // namespace berth::git
