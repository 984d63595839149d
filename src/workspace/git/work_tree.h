#pragma once

#include <map>
#include <optional>

#include "workspace/git/git_types.h"
#include "workspace/workspace.h"

namespace berth::git {

/// What stands at a path, seen as git sees it: no link is followed, in a parent neither.
struct Found {
  enum class Kind : std::uint8_t { nothing, file, link, directory, hidden };

  Kind kind = Kind::nothing;
  std::uint32_t mode = 0;            ///< git's mode of a file or link
  Bytes content;                     ///< of a file, or a link's target
  ChangeToken token;                 ///< of what stands there
  std::optional<NotShown::Why> why;  ///< why there is no content although something stands there

  bool operator==(const Found&) const = default;
};

/// Looks at paths of the work tree through the workspace's reads, so under its policies. Remembers which parents are
/// real directories: for one call, one thread.
class WorkTree final {
 public:
  explicit WorkTree(Workspace& workspace) : workspace_(workspace) {}

  /// Describe a path without its content. A path that a policy keeps back is `hidden`.
  Result<Found> look(const Call& call, const Path& path);

  /// As `look`, with content of at most `max_bytes`; more is `too_large`.
  Result<Found> read(const Call& call, const Path& path, std::int64_t max_bytes);

 private:
  Result<bool> is_real_directory(const Call& call, const Path& path);

  Workspace& workspace_;
  std::map<Path, bool> directories_;
};

}  // namespace berth::git
