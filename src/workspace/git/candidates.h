#pragma once

#include <string>
#include <vector>

#include "workspace/git/git_types.h"
#include "workspace/git/scratch_repository.h"
#include "workspace/git/status_records.h"

namespace berth::git {

/// A path that may differ from the baseline; what the work tree holds decides.
struct Candidate {
  Path path;
  GitEntry baseline;
  char staged = '.';
  char unstaged = '.';
  bool untracked = false;
  bool nested_repository = false;

  bool operator==(const Candidate&) const = default;
};

enum class Untracked : std::uint8_t { none, all };

/// What the steps of a call share.
struct GitContext {
  const Call& call;
  Workspace& workspace;
  const RepositoryPlace& place;
  ScratchRepository& scratch;
  const std::vector<Bytes>& not_checked_out;  ///< whose absence is no change
  const std::string& baseline_tree;           ///< the name of the baseline's tree; empty when it is not known
};

/// Find the paths below the root that are not one in baseline, index and work tree, sorted, each once. What git itself
/// says.
Result<std::vector<Candidate>> find_candidates(const GitContext& context, Untracked untracked);

/// The same with untracked files, faster where the workspace can be surveyed and the scratch repository has no index
/// yet: it has one afterwards. Among them may be files that only look as
/// if they differed: a comparison within `options` will tell.
Result<std::vector<Candidate>> find_likely_candidates(const GitContext& context, const DiffOptions& options);

/// Read a path that git gave, relative to the root.
Result<Path> path_from_git(BytesView bytes);

}  // namespace berth::git
