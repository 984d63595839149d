#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "workspace/git/git_command.h"
#include "workspace/git/repository_place.h"

namespace berth::git {

/// What the index of a scratch repository is made from.
enum class IndexFrom : std::uint8_t {
  repository,  ///< a copy of the repository's, with what it knows of files; from the baseline when it cannot be used
  baseline,    ///< the baseline alone: git reads every file to know about it
  nothing
};

/// A copied index in which no flag hides a change.
struct IndexCopy {
  Bytes bytes;
  std::int64_t time = 0;  ///< when the repository's was written, in seconds
};

/// A git directory of ours, for one call: the objects of the repository, read-only, and a copy of its index, but a
/// configuration of our own. Nothing that the repository configures exists for a git that runs on it: no filter, no
/// text conversion, no hook, no remote, no replaced object. New objects stay in it; the repository is not written.
///
/// It stands in the temporary directory of the environment and goes with the object, for which 2 s are allowed when the
/// call has ended.
class ScratchRepository final {
 public:
  /// Make one whose HEAD is `commit`, or unborn without one. The references must outlive the object.
  static Result<std::unique_ptr<ScratchRepository>> make(const Call& call, Workspace& workspace,
                                                         const RepositoryPlace& place,
                                                         const std::optional<std::string>& commit, IndexFrom index);
  ~ScratchRepository();
  ScratchRepository(const ScratchRepository&) = delete;
  ScratchRepository& operator=(const ScratchRepository&) = delete;

  /// Run git on it; see `run_git`.
  Result<GitOutput> run(const Call& call, GitRun run) const;
  /// The same where the index plays no part: git does not read it, which takes time for a large one.
  Result<GitOutput> run_without_index(const Call& call, GitRun run) const;
  /// The same with another index and another place for new objects, to change the repository itself.
  Result<GitOutput> run_for_repository(const Call& call, GitRun run) const;

  /// Make the index again from the baseline, without knowledge of any file.
  Result<void> rebuild_index(const Call& call) const;

  /// The copy of the repository's index, when git goes by it as it is and there is a commit to compare it with; else
  /// null.
  const IndexCopy* index_copy() const noexcept { return index_copy_ ? &*index_copy_ : nullptr; }
  /// Entries of the repository's index that are not in the work tree by sparse checkout, from the top, sorted; a
  /// directory of a sparse index ends with a slash.
  const std::vector<Bytes>& not_checked_out() const noexcept { return not_checked_out_; }
  /// Its own directory, absolute: files may not be taken from there.
  const Bytes& directory() const noexcept { return place_.git_dir; }

 private:
  ScratchRepository(Workspace& workspace, const RepositoryPlace& repository, std::optional<std::string> commit)
      : workspace_(workspace), repository_(repository), commit_(std::move(commit)) {}

  Workspace& workspace_;
  const RepositoryPlace& repository_;
  std::optional<std::string> commit_;
  GitPlace place_;
  std::vector<Bytes> not_checked_out_;
  std::optional<IndexCopy> index_copy_;
};

}  // namespace berth::git
