#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "workspace/backend.h"
#include "workspace/edit/edit.h"
#include "workspace/edit/unified_diff.h"
#include "workspace/patch/patch.h"
#include "workspace/patch_outcome.h"

namespace berth {

/// A path as a caller wrote it: not checked yet. Only `Workspace` reads one.
struct PathArg {
  std::string_view text;

  PathArg(std::string_view as_written) : text(as_written) {}
  PathArg(const std::string& as_written) : text(as_written) {}
  PathArg(const char* as_written) : text(as_written) {}
};

/// Which capabilities a workspace has; what is false answers `unsupported`.
struct Capabilities {
  bool read_files = false;
  bool write_files = false;
  bool run_commands = false;
  bool search_files = false;
  bool transactions = false;  ///< several files at once, and patches
  bool jobs = false;          ///< commands in the background

  bool operator==(const Capabilities&) const = default;
};

/// What an edit did (C-EDIT-4).
struct EditOutcome {
  std::vector<std::int64_t> counts;  ///< replacements by each edit
  Revision previous_revision;
  Revision revision;
  BoundedDiff diff;

  bool operator==(const EditOutcome&) const = default;
};

struct EditOptions {
  std::optional<Revision> expected_revision;
  std::size_t max_diff_bytes = limits::kEditDiffBytes;
};

/// Extra conditions and modes of a write.
struct WriteOptions {
  std::optional<GitMode> git_mode;  ///< set exactly 0644 or 0755 (C-WRITE-8)
  std::optional<GitMode> expected_git_mode;
  std::optional<ChangeToken> expected_token;
};

/// What `list` and `glob` may pass over and how much they return.
struct ListOptions {
  WalkFilter filter;
  std::optional<std::int64_t> limit;
  std::string cursor;
};

/// A handle on one environment: the only thing tools see, and the contract.
///
/// It reads path arguments, checks deadlines and numbers, makes the environment on first use, and derives what a
/// backend does not do itself. Every error about a path names it as the caller wrote it. Safe from many threads at
/// once. A capability that the backend does not offer is `unsupported`, or `read_only` when the workspace only reads.
class Workspace {
 public:
  explicit Workspace(std::unique_ptr<Backend> backend, PathRules rules = {});
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  const BackendInfo& info() const noexcept;
  std::optional<WorkspaceRef> ref() const;
  Capabilities capabilities() const noexcept;

  /// Create or attach now instead of on first use.
  Result<void> ensure(const Call& call);

  /// Read a path argument (C-PATH): for `CommandSpec::cwd`, `ListQuery::base` and the like.
  Result<Path> resolve(PathArg path) const;

  // Reading. See `FileReads` for what each promises.
  Result<ReadPage> read(const Call& call, PathArg path, const ReadRange& range = {});
  Result<LinePage> read_lines(const Call& call, PathArg path, const LineRange& range = {});
  Result<FileStat> stat(const Call& call, PathArg path, FollowLeaf follow = FollowLeaf::yes);
  /// Whether anything stands at the path, a dangling link included. Refusals are errors, absence is not.
  Result<bool> exists(const Call& call, PathArg path);
  /// Succeed only when nothing stands at the path; else `already_exists`.
  Result<void> require_absent(const Call& call, PathArg path);
  Result<DirectoryListing> list_directory(const Call& call, PathArg path);
  Result<Path> real_path(const Call& call, PathArg path);

  // Changing (C-WRITE-5). See `FileWrites`.
  Result<WriteOutcome> write(const Call& call, PathArg path, BytesView content, const WriteOptions& options = {});
  Result<WriteOutcome> create(const Call& call, PathArg path, BytesView content, const WriteOptions& options = {});
  Result<WriteOutcome> replace(const Call& call, PathArg path, BytesView content, const Revision& expected_revision,
                               const WriteOptions& options = {});
  Result<RemoveOutcome> delete_file(const Call& call, PathArg path);
  Result<RemoveOutcome> delete_if(const Call& call, PathArg path, const Revision& expected_revision,
                                  const WriteOptions& options = {});
  Result<MoveOutcome> move_if(const Call& call, PathArg from, PathArg to, const Revision& expected_revision,
                              const WriteOptions& options = {});
  Result<RemoveOutcome> remove(const Call& call, PathArg path);
  Result<MakeDirectoryOutcome> make_directory(const Call& call, PathArg path);
  Result<PruneOutcome> prune_empty_directories(const Call& call, PathArg path, std::int64_t max_directories);

  /// Replace literal text, all edits or none (C-EDIT). Reads the file once and swaps it against the revision read, so
  /// a change by somebody else in between is `revision_mismatch`, never lost.
  Result<EditOutcome> edit(const Call& call, PathArg path, std::span<const Edit> edits,
                           const EditOptions& options = {});

  /// Apply a patch, all files or none (C-PATCH-1): a unified diff or the `*** Begin Patch` form, told by its first
  /// line. Every file is read once and changed against the revision that was read; links in its paths are refused.
  /// Errors: `patch_rejected` with a `reason` (see workspace/patch/patch_errors.h), `revision_mismatch` when a file
  /// changed meanwhile, `ambiguous` with `paths` when a failure midway could not be undone.
  Result<PatchOutcome> apply_patch(const Call& call, BytesView text, const PatchOptions& options = {});
  Result<PatchOutcome> apply_patch(const Call& call, const Patch& patch, const PatchOptions& options = {});

  /// Change several files, all or none (C-WRITE-11). See `FileTransactions::apply`; paths come from `resolve`.
  Result<TransactionOutcome> transaction(const Call& call, std::span<const FileOperation> operations);

  // Finding. See `TreeSearch`.
  Result<ListPage> list(const Call& call, std::string_view pattern = "**/*", const ListOptions& options = {});
  Result<ListPage> glob(const Call& call, std::string_view pattern, PathArg path = ".",
                        const ListOptions& options = {
                            .filter = {.hidden = false, .ignored = false}, .limit = {}, .cursor = {}});
  Result<SearchResult> search(const Call& call, PathArg path, SearchQuery query);
  /// Look at every name there is; see `TreeSurvey`. Not every workspace can, and none with policies that keep files
  /// back: whoever uses it has another way (`can_survey`).
  Result<void> survey(const Call& call, SurveyVisitor& visitor);
  bool can_survey() const noexcept;

  /// Run a command. See `CommandRunner::run`; the spec is checked first (C-RUN-1, C-RUN-9).
  Result<CommandOutcome> run(const Call& call, const CommandSpec& spec, OutputSink* sink = nullptr);

  // Commands in the background (C-RUN-8). See `JobControl`; arguments are checked first, as those of `run` are.
  Result<JobInfo> start_job(const Call& call, const JobSpec& spec);
  Result<std::vector<JobInfo>> list_jobs(const Call& call);
  Result<JobInfo> job(const Call& call, const JobId& id);
  Result<JobOutput> read_job(const Call& call, const JobId& id, const JobRead& request = {});
  Result<StdinOutcome> write_job_stdin(const Call& call, const JobId& id, BytesView content,
                                       StdinEnd end = StdinEnd::open);
  Result<StdinOutcome> close_job_stdin(const Call& call, const JobId& id);
  Result<SignalOutcome> signal_job(const Call& call, const JobId& id, int number);
  Result<JobInfo> stop_job(const Call& call, const JobId& id, std::chrono::milliseconds grace = limits::kTermGrace);
  Result<JobInfo> wait_job(const Call& call, const JobId& id,
                           std::optional<std::chrono::milliseconds> at_most = std::nullopt);
  Result<void> resize_job(const Call& call, const JobId& id, TerminalSize size);
  Result<void> forget_job(const Call& call, const JobId& id);

 private:
  Result<WriteOutcome> put(const Call& call, PathArg path, BytesView content, const WriteSpec& spec);
  Result<RemoveOutcome> take_away(const Call& call, PathArg path, const RemoveSpec& spec);

  std::unique_ptr<Backend> backend_;
  PathRules rules_;
};

}  // namespace berth
