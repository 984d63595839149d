#pragma once

#include "base/call.h"
#include "base/result.h"
#include "contract/commands.h"
#include "contract/files.h"
#include "contract/search.h"

/// What an environment can do, one interface a subject. A backend offers an interface or does not (a null accessor);
/// no method here may fail because it is "not supported". Every implementation may be called from many threads at
/// once; calls on one path are linearisable within a host, calls on different paths run in parallel (C-VAL-4).
/// Every method honours `call.deadline` and `call.stop`, and may fail with `timed_out`, `cancelled`,
/// `environment_gone`, `permission_denied`, `path_escape`, `symlink_loop`, `name_too_long` or `io` besides the errors
/// it lists. Errors carry no path; the caller adds the one it was given.
namespace berth {

/// Look at files without changing anything.
class FileReads {
 public:
  virtual ~FileReads() = default;

  /// Read a page of a regular file. Missing: `not_found`; a directory: `is_a_directory`; a file as a parent:
  /// `not_a_directory`; FIFO, socket or device: `not_regular`, at once. Offset past the end: `offset_out_of_range`
  /// with `offset` and `total_bytes`; at the end: an empty, complete page. A file that changes during the read is read
  /// again, at last `changed_during_read`. Memory: the page.
  virtual Result<ReadPage> read(const Call& call, const Path& path, const ReadRange& range) = 0;

  /// Read whole lines. Same errors; a first line past the end is `offset_out_of_range` with `first` and `total_lines`.
  /// Line 1 of an empty file is an empty, complete page. Memory: the page, whatever the file's size.
  virtual Result<LinePage> read_lines(const Call& call, const Path& path, const LineRange& range) = 0;

  /// Describe what stands at a path. `FollowLeaf::no` describes a link itself, a dangling or looping one too.
  virtual Result<FileStat> stat(const Call& call, const Path& path, FollowLeaf follow) = 0;

  /// List a directory, entries not followed, sorted by bytes. Our own temporary files never show. A file:
  /// `not_a_directory`. An entry that vanishes meanwhile is left out.
  virtual Result<DirectoryListing> list_directory(const Call& call, const Path& path) = 0;

  /// Resolve every link by the kernel's rules. The last components may be missing. Fails with `path_escape` when the
  /// real place is outside the root.
  virtual Result<Path> real_path(const Call& call, const Path& path) = 0;
};

/// Change files. Nothing is made under a name that our temporary files could have: `invalid_argument`.
class FileWrites {
 public:
  virtual ~FileWrites() = default;

  /// Write a whole file atomically: an observer sees the old bytes or the new, never a mix, and no temporary name.
  /// Missing parents are made. The outcome for what stands there follows C-WRITE-5; a failed comparison is
  /// `revision_mismatch` with `expected_revision` and `actual_revision`, and changes nothing. A link leaf inside the
  /// root is written through. Two concurrent compare-and-swaps with one revision: exactly one wins, between
  /// cooperating processes too. A failed or cancelled write leaves the old file and no temporary file.
  virtual Result<WriteOutcome> write(const Call& call, const Path& path, BytesView content, const WriteSpec& spec) = 0;

  /// Remove a file or a tree as `spec` says. The root and its ancestors: `invalid_argument`, however spelled or
  /// linked. A link is removed itself, never followed.
  virtual Result<RemoveOutcome> remove(const Call& call, const Path& path, const RemoveSpec& spec) = 0;

  /// Move a regular file without replacing anything: `already_exists` when something stands at `to` (the error's
  /// field `destination` is "true"), `invalid_argument` when both are one file. Missing parents of `to` are made, and
  /// unmade when the move is refused. `ambiguous` with what is known when the outcome cannot be proven.
  virtual Result<MoveOutcome> move(const Call& call, const Path& from, const Path& to, const MoveSpec& spec) = 0;

  /// Make a directory and its missing parents. A directory there: nothing to do. Anything else: `already_exists`.
  virtual Result<MakeDirectoryOutcome> make_directory(const Call& call, const Path& path) = 0;

  /// Remove a directory tree that holds directories only, at most `max_directories` of them, the top included.
  /// Anything else in it: `not_empty`, and nothing is removed; more directories: `too_large`. Missing: nothing to do.
  virtual Result<PruneOutcome> prune_empty_directories(const Call& call, const Path& path,
                                                       std::int64_t max_directories) = 0;
};

/// Receives a command's output while it runs. Called on the thread that runs the command; must not block for long.
class OutputSink {
 public:
  enum class Stream : std::uint8_t { out, err };

  virtual ~OutputSink() = default;
  virtual void write(Stream stream, BytesView bytes) = 0;
};

/// Run commands.
class CommandRunner {
 public:
  virtual ~CommandRunner() = default;

  /// Run a command to its end (C-RUN-1 to C-RUN-7). What the command did is the outcome, also when it timed out, was
  /// cancelled or could not be started (126, 127); an error means that the request itself was unusable
  /// (`invalid_argument`, a missing `cwd`) or the environment failed. Returns within 50 ms of the command's exit even
  /// when children hold its pipes. `sink` may be null; it sees everything that is read, also what is dropped later.
  virtual Result<CommandOutcome> run(const Call& call, const CommandSpec& spec, OutputSink* sink) = 0;
};

/// Find files by name and by content.
class TreeSearch {
 public:
  virtual ~TreeSearch() = default;

  /// List the files that match. A bad pattern or cursor: `invalid_argument`. A base that is missing: `not_found`.
  /// Never follows a directory link or leaves the root. Memory: the page, plus the depth of the tree.
  virtual Result<ListPage> list(const Call& call, const ListQuery& query) = 0;

  /// Search the files that match. A bad pattern: `invalid_argument`. A bound that is hit keeps what was found.
  virtual Result<SearchResult> search(const Call& call, const SearchQuery& query) = 0;
};

}  // namespace berth
