#pragma once

#include <span>

#include "workspace/git/candidates.h"
#include "workspace/git/git_types.h"

namespace berth::git {

/// How much of a comparison is wanted.
enum class Detail : std::uint8_t {
  paths,   ///< which paths differ, without renames
  content  ///< renames, line counts and the text
};

/// Compare candidates with the baseline by what the work tree holds: both sides become trees in the scratch repository,
/// and git compares the trees. Filters are not run; built-in conversions (line endings, `$Id$`, encodings) are.
Result<Diff> compare(const GitContext& context, std::span<const Candidate> candidates, const DiffOptions& options,
                     Detail detail);

/// Convert content as git does on its way into the repository, by the attributes of the path, and write it as an
/// object: into the repository itself or the scratch one. Gives the object's name.
enum class WriteTo : std::uint8_t { scratch, repository };
Result<std::string> write_object(const GitContext& context, const Path& path, const Bytes& content, WriteTo where);

/// The commit that a submodule has checked out; nothing when there is none at that directory.
Result<std::optional<std::string>> submodule_commit(const GitContext& context, const Path& path);

}  // namespace berth::git
