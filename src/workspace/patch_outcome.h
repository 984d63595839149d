#pragma once

#include <map>
#include <optional>
#include <vector>

#include "base/limits.h"
#include "contract/files.h"
#include "path/path.h"
#include "workspace/edit/unified_diff.h"

namespace berth {

/// How a patch is applied.
struct PatchOptions {
  enum class Mode : std::uint8_t {
    apply,
    check  ///< everything is worked out and nothing is changed
  };

  Mode mode = Mode::apply;
  std::map<Path, Revision> expected_revisions;              ///< of files as they are before the patch
  std::size_t max_diff_bytes = 4 * limits::kEditDiffBytes;  ///< of all diffs together
};

/// What a patch does to one file.
struct PatchedFile {
  enum class What : std::uint8_t { created, modified, deleted, moved, copied };

  What what = What::modified;
  Path path;
  std::optional<Path> from;                   ///< moved and copied
  std::optional<Revision> previous_revision;  ///< of what stood at `path`, or moved from `from`
  std::optional<Revision> revision;           ///< nothing when deleted
  std::optional<GitMode> git_mode;            ///< that the patch sets
  BoundedDiff diff;

  bool operator==(const PatchedFile&) const = default;
};

/// What a patch did, or would do when it was only checked. Files in the order of their paths.
struct PatchOutcome {
  bool applied = false;
  std::vector<PatchedFile> files;

  bool operator==(const PatchOutcome&) const = default;
};

}  // namespace berth
