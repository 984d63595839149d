#include "workspace/git/git_entries.h"

#include <algorithm>
#include <utility>

namespace berth::git {
namespace {

bool comes_before(const GitTreeEntry& left, const GitTreeEntry& right) { return left.path < right.path; }

/// Keeps the smallest entries.
class SmallestEntries {
 public:
  explicit SmallestEntries(std::int64_t limit) : limit_(static_cast<std::size_t>(limit)) {}

  void add(GitTreeEntry entry) {
    ++total_;
    if (entries_.size() == limit_) {
      if (!comes_before(entry, entries_.front())) return;
      std::pop_heap(entries_.begin(), entries_.end(), comes_before);
      entries_.back() = std::move(entry);
    } else {
      entries_.push_back(std::move(entry));
    }
    std::push_heap(entries_.begin(), entries_.end(), comes_before);
  }

  GitEntryPage take() {
    std::sort(entries_.begin(), entries_.end(), comes_before);
    return {.entries = std::move(entries_), .total = total_};
  }

 private:
  std::size_t limit_;
  std::vector<GitTreeEntry> entries_;  // a heap, the largest first
  std::int64_t total_ = 0;
};

}  // namespace

Result<GitEntryPage> list_git_entries(const Call& call, Workspace& workspace, std::int64_t limit) {
  if (limit <= 0) return make_error(ErrorCode::invalid_argument, "limit must be greater than 0");
  SmallestEntries found(limit);
  std::vector<Path> directories{Path()};
  while (!directories.empty()) {
    BERTH_CHECK(call.check());
    const Path directory = std::move(directories.back());
    directories.pop_back();
    auto listing = workspace.list_directory(call, directory.text());
    if (!listing) {
      if (listing.error().code == ErrorCode::not_found && !directory.is_root()) continue;
      return std::move(listing).error();
    }
    for (auto& entry : listing->entries) {
      Path path = directory.child(entry.name);
      switch (entry.stat.kind) {
        case FileKind::directory: directories.push_back(std::move(path)); break;
        case FileKind::file:
          found.add({.path = std::move(path),
                     .mode = entry.stat.git_mode == GitMode::executable ? GitTreeEntry::Mode::executable
                                                                        : GitTreeEntry::Mode::regular});
          break;
        case FileKind::symlink:
          found.add({.path = std::move(path),
                     .mode = GitTreeEntry::Mode::link,
                     .link_target = std::move(entry.stat.link_target)});
          break;
        case FileKind::other:
          return make_error(ErrorCode::not_regular, "git has no mode for a FIFO, socket or device").at(path.text());
      }
    }
  }
  return found.take();
}

}  // namespace berth::git
