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
  nothing      ///< none, or one that is chosen later
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

  /// Whether there is an index: not for `nothing`, until one of the next two is called.
  bool has_index() const noexcept { return has_index_; }
  /// Go by the repository's own index, which nothing that runs here writes.
  void use_index_in_place();
  /// Go by a copy of the repository's index, as `IndexFrom::repository` does.
  Result<void> copy_index(const Call& call);

  bool has_commit() const noexcept { return commit_.has_value(); }
  /// Entries of the repository's index that are not in the work tree by sparse checkout, from the top, sorted; a
  /// directory of a sparse index ends with a slash.
  const std::vector<Bytes>& not_checked_out() const noexcept { return not_checked_out_; }
  /// Its own directory, absolute: files may not be taken from there.
  const Bytes& directory() const noexcept { return place_.git_dir; }

 private:
  ScratchRepository(Workspace& workspace, const RepositoryPlace& repository, std::optional<std::string> commit)
      : workspace_(workspace), repository_(repository), commit_(std::move(commit)) {}

  Bytes repository_index() const;
  /// Clear a copy that was just made of what hides changes, or make the index again.
  Result<void> clean_copy(const Call& call, GitOutput copied);

  Workspace& workspace_;
  const RepositoryPlace& repository_;
  std::optional<std::string> commit_;
  GitPlace place_;
  std::vector<Bytes> not_checked_out_;
  bool has_index_ = true;
};

}  // namespace berth::git
