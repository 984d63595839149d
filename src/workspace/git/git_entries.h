#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "workspace/workspace.h"

namespace berth::git {

/// One file or link with the mode git would give it (C-GIT-4).
struct GitTreeEntry {
  enum class Mode : std::uint32_t { regular = 0100644, executable = 0100755, link = 0120000 };

  Path path;
  Mode mode = Mode::regular;
  std::optional<Bytes> link_target;  ///< links only, as stored

  bool operator==(const GitTreeEntry&) const = default;
};

/// The first entries by path, and how many there are.
struct GitEntryPage {
  std::vector<GitTreeEntry> entries;  ///< sorted by bytes of the whole path
  std::int64_t total = 0;             ///< exact, also when there are more than the limit

  bool operator==(const GitEntryPage&) const = default;
};

/// List every regular file and link of the workspace, nothing followed, nothing left out: a link to a directory is one
/// entry, `.git` is walked like any directory, empty directories are not represented. A walk, not a run of git, so it
/// works without git too.
///
/// Errors: `invalid_argument` when `limit` is not > 0; `not_regular` with the path for a FIFO, socket or device; any
/// directory that cannot be listed is that error, never a shorter list. A directory that vanishes during the walk is
/// left out. Memory: the page, and the names on the way.
Result<GitEntryPage> list_git_entries(const Call& call, Workspace& workspace, std::int64_t limit);

}  // namespace berth::git
