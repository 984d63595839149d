#pragma once

#include <memory>
#include <span>
#include <vector>

#include "workspace/git/git_types.h"
#include "workspace/git/scratch_repository.h"
#include "workspace/workspace.h"

namespace berth::git {

/// The git side of a workspace (C-GIT): what changed since it was opened.
///
/// Works through the workspace's commands and reads alone, so wherever git runs, and under its policies: content that
/// may not be read is not shown. All paths are relative to the workspace's root, and only what lies below it counts, in
/// a subdirectory of a repository and in a linked worktree too. Any file name works. Nothing that the repository or the
/// user configures has an effect or is run (see `git_command` and `ScratchRepository`); what files say does:
/// `.gitignore`, `info/exclude` and `.gitattributes` (line endings, `binary`), but no filter. A file under a filter
/// (git LFS) that was touched therefore shows what it holds, not what the filter would make of it.
///
/// Except for `stage` nothing writes to the repository. Reading a work tree that changes meanwhile is no snapshot: each
/// file is read whole, at its own moment. Safe from many threads at once.
/// Errors besides those named: `unsupported` when the workspace runs no commands or has no git, `not_found` when there
/// is no repository, `io` when the repository is damaged, `timed_out`, `cancelled`, `unavailable`.
class GitRepository final {
 public:
  /// Pin the baseline: the commit that HEAD names now. No repository and no commit are baselines too, not errors; a
  /// damaged HEAD is `io`. What a sparse checkout leaves out of the work tree now is no deletion later. The workspace
  /// must outlive the object.
  static Result<std::unique_ptr<GitRepository>> open(const Call& call, Workspace& workspace);

  const Baseline& baseline() const noexcept { return baseline_; }

  /// Compare the work tree with the baseline whatever the index holds: untracked files that are not ignored, renames
  /// (half alike), modes, links and binary files (as a marker) included. A submodule is one entry, its commit. Bounded
  /// as the options say, and what a bound left out is said.
  Result<Diff> diff(const Call& call, const DiffOptions& options = {}) const;

  /// List the paths that differ from the baseline, sorted. Nested repositories that are untracked are left out.
  /// `too_large` for more than about a million.
  Result<std::vector<StatusEntry>> status_paths(const Call& call) const;

  /// List the files of the baseline, sorted; none without a commit.
  Result<std::vector<Path>> baseline_paths(const Call& call) const;

  /// Note what is changed now, and later tell which paths changed since: written, replaced, made, deleted or brought
  /// back. A file rewritten with the same bytes counts when it differs from the baseline.
  Result<Snapshot> snapshot(const Call& call) const;
  Result<std::vector<Path>> changed_since(const Call& call, const Snapshot& before) const;

  /// Put files as they are into the repository's index, directories with what changed below them, and take deleted ones
  /// out. All or nothing in one step of the index; `conflict` when another program holds it. Line endings are converted
  /// as attributes say, filters are not run.
  Result<StageOutcome> stage(const Call& call, std::span<const Path> paths) const;

  /// Whether the rules leave a path out: it is not in the index and `.gitignore` or `info/exclude` names it.
  Result<bool> is_ignored(const Call& call, const Path& path) const;

  /// Refuse tracked or staged changes with `dirty_workspace`, the number in `count` and up to five in `paths`.
  /// Untracked files do not count.
  Result<void> require_clean(const Call& call) const;

 private:
  explicit GitRepository(Workspace& workspace) : workspace_(workspace) {}

  Result<std::unique_ptr<ScratchRepository>> scratch(const Call& call, IndexFrom index) const;

  Workspace& workspace_;
  RepositoryPlace place_;
  Baseline baseline_;
  std::string baseline_tree_;  ///< the name of the baseline's tree; empty when it is not known
  std::vector<Bytes> not_checked_out_;
};

}  // namespace berth::git
