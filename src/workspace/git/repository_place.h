#pragma once

#include <optional>
#include <string>

#include "workspace/workspace.h"

namespace berth::git {

/// Where the repository of a workspace is.
struct RepositoryPlace {
  Bytes top;                  ///< the directory that holds `.git`, absolute
  Bytes prefix;               ///< the workspace's root below `top`, with a final slash; empty when they are one
  Bytes git_dir;              ///< absolute; of a linked worktree its own
  Bytes common_dir;           ///< absolute; where objects and `info/exclude` are
  std::string object_format;  ///< `sha1` or `sha256`

  bool operator==(const RepositoryPlace&) const = default;
};

/// Find the repository that holds the workspace's root: the nearest directory upwards with a `.git` that git would
/// take, a file of a linked worktree or submodule included. Nothing when there is none, or the root lies in a `.git`.
///
/// Not git but a walk of our own looks for it: git would also take a bare repository that somebody planted among the
/// files, and believe `core.worktree`. Who owns the files is not asked (`safe.directory`), because nothing that the
/// repository configures has an effect. Errors: `io` when what `.git` names is no repository that this git reads.
Result<std::optional<RepositoryPlace>> find_repository(const Call& call, Workspace& workspace);

/// The commit that HEAD names, in hexadecimal digits; nothing when HEAD names a branch that has no commit yet. `io`
/// when HEAD or its branch is damaged.
Result<std::optional<std::string>> head_commit(const Call& call, Workspace& workspace, const RepositoryPlace& place);

/// The name of a commit's tree; empty when git cannot say.
Result<std::string> tree_of(const Call& call, Workspace& workspace, const RepositoryPlace& place,
                            const std::string& commit);

}  // namespace berth::git
