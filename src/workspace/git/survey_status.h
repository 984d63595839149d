#pragma once

#include <optional>
#include <vector>

#include "workspace/git/candidates.h"
#include "workspace/git/git_types.h"

namespace berth::git {

/// Find what `git status` would, without it: the work tree is looked at once by several threads, while git compares the
/// index with the baseline. Needs an index whose entries alone say what is tracked (`read_plain_entries`) and a
/// workspace that can survey.
///
/// A file whose facts are not those of its entry is given as modified although its content may be the same. Nothing
/// when the answer would not be that of git: too many such files, or one that `options` would not let be compared, a
/// directory that cannot be read, an index that git reads otherwise. Errors are those of the call.
Result<std::optional<std::vector<StatusRecord>>> survey_status(const GitContext& context, const DiffOptions& options);

}  // namespace berth::git
