#pragma once

#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/call.h"
#include "base/result.h"
#include "contract/files.h"
#include "workspace/patch/patch.h"

namespace berth {

/// A regular file as a patch finds it.
struct PatchedSource {
  Bytes content;
  Revision revision;
  std::optional<GitMode> git_mode;

  bool operator==(const PatchedSource&) const = default;
};

/// Where a plan looks at files.
class PatchFiles {
 public:
  virtual ~PatchFiles() = default;

  /// Read a whole regular file; nothing when nothing stands there. `is_a_directory`, `not_regular`, `path_escape` (a
  /// link in the path or at its end), `not_a_directory`, `too_large` become reasons of a refusal; other errors pass
  /// through.
  virtual Result<std::optional<PatchedSource>> look(const Call& call, const Path& path) = 0;
};

/// What one path is to become, under the condition that it still is what was read. At most one change a path.
struct FileChange {
  Path path;
  std::optional<PatchedSource> before;  ///< nothing stood there
  std::optional<Bytes> after;           ///< nothing is to stand there
  std::optional<GitMode> git_mode;      ///< to set
  std::optional<Path> moved_from;
  std::optional<Path> copied_from;
  std::optional<Path> moved_to;  ///< where what stood there goes

  bool operator==(const FileChange&) const = default;
};

/// A patch worked out against the files, not applied: changes in the order of their paths.
struct PatchPlan {
  std::vector<FileChange> changes;

  bool operator==(const PatchPlan&) const = default;
};

/// Work a patch out: every file is read once, every hunk placed, nothing is changed. All names mean the files as they
/// were before the patch; renames may form circles.
///
/// A part that cannot be applied is `patch_rejected` with `reason` (see patch_errors.h) and the file as the error's
/// path; a wrong expected revision is `revision_mismatch`; edits fail as `apply_edits` says. When several parts fail,
/// the error is the first one's and its field `rejections` names all of them, one line each.
Result<PatchPlan> plan_patch(const Call& call, const Patch& patch, PatchFiles& files);

}  // namespace berth
