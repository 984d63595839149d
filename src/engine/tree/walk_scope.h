#pragma once

#include <atomic>
#include <memory>
#include <string_view>

#include "base/call.h"
#include "contract/search.h"
#include "os/fd.h"
#include "os/root.h"
#include "search/ignore.h"

namespace berth::engine {

/// A directory of a walk, open for reading, with the ignore rules that hold in it.
struct WalkedDirectory {
  os::Fd fd;
  Path path;
  std::shared_ptr<const search::IgnoreLevel> rules;  ///< null when ignore rules are not asked for
  std::atomic<int>* open_count = nullptr;

  WalkedDirectory(os::Fd opened, Path where, std::atomic<int>& count);
  ~WalkedDirectory();
  WalkedDirectory(const WalkedDirectory&) = delete;
  WalkedDirectory& operator=(const WalkedDirectory&) = delete;
};

using DirectoryHandle = std::shared_ptr<const WalkedDirectory>;

/// Where a directory was found, so that it can be opened later.
struct DirectoryPlace {
  DirectoryHandle parent;                            ///< null: opened from the top of the walk, name by name
  std::shared_ptr<const search::IgnoreLevel> rules;  ///< of the parent
  Path path;
};

/// What a walk does with links to regular files inside the root. Other links are never files, none are directories.
enum class LinkFiles { are_files, are_passed_over };

/// Which files a walk is for. What it refers to outlives the walk.
struct WalkRequest {
  const Path& base;
  const PathPattern& pattern;  ///< matched below the base; decides about hidden names
  const WalkFilter& filter;
  const PathFilter* filter_out = nullptr;
  LinkFiles links = LinkFiles::are_passed_over;
};

/// Receives what a directory holds, in the kernel's order.
class EntryVisitor {
 public:
  virtual ~EntryVisitor() = default;
  virtual void file(const WalkedDirectory& directory, std::string_view name) = 0;
  virtual void directory(const WalkedDirectory& directory, std::string_view name) = 0;
};

/// Opens and reads the directories of one walk. Everything is reached from a parent's descriptor by one name that may
/// not be a link, so that a directory swapped for a link meanwhile ends the way there (C-PATH-6). Safe from many
/// threads at once.
class WalkScope {
 public:
  /// A walk holds parents open for their children only up to this many directories, then finds them again by name.
  static constexpr int kMaxOpenDirectories = 64;

  /// Open the base. Errors: `not_found`, also when the policy leaves the base out, `not_a_directory`.
  static Result<std::unique_ptr<WalkScope>> open(const Call& call, const os::Root& root, const WalkRequest& request);

  const DirectoryHandle& top() const noexcept { return top_; }
  const WalkRequest& request() const noexcept { return request_; }

  /// Open a directory that was found before; null when it is gone or no directory any more.
  Result<DirectoryHandle> open_found(const Call& call, const DirectoryPlace& place);

  /// Show what of a directory belongs to the walk: files that match, and directories that may hold some. Errors:
  /// `name_too_long` when something in it has no valid path; what has one was shown.
  Result<void> scan(const Call& call, const WalkedDirectory& directory, EntryVisitor& visitor) const;

  /// Where a child was found; without the parent's handle when too many are open.
  DirectoryPlace place(const DirectoryHandle& parent, std::string_view name) const;

 private:
  WalkScope(const os::Root& root, const WalkRequest& request) : root_(root), request_(request) {}

  Result<std::shared_ptr<const search::IgnoreLevel>> rules_above(const Call& call) const;
  std::shared_ptr<const search::IgnoreLevel> rules_in(const WalkedDirectory& directory,
                                                      std::shared_ptr<const search::IgnoreLevel> above,
                                                      BytesView exclude) const;
  Bytes exclude_rules(const Call& call) const;
  bool is_file_link(const Call& call, const Path& path) const;
  std::string_view below_base(std::string_view path) const noexcept;

  const os::Root& root_;
  WalkRequest request_;
  std::atomic<int> open_count_{0};
  DirectoryHandle top_;
};

}  // namespace berth::engine
