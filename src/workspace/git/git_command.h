#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "workspace/workspace.h"

namespace berth::git {

/// What one run of git works on. Absolute names as bytes; an empty one is not told to git.
struct GitPlace {
  Bytes git_dir;
  Bytes work_tree;
  Bytes index_file;        ///< empty: that of the git directory
  Bytes object_directory;  ///< where objects are written; empty: that of the git directory
  Bytes alternate;         ///< one more object directory to read from

  bool operator==(const GitPlace&) const = default;
};

/// One run of git: the words after `git`.
struct GitRun {
  std::vector<Bytes> words;
  std::optional<Bytes> input;
  std::int64_t max_output = 64 * 1024 * 1024;  ///< of both streams together
  std::vector<Bytes> settings;                 ///< further `name=value`, over the fixed ones

  bool operator==(const GitRun&) const = default;
};

/// How a program ended that ran to its end, or printed more than it might.
struct GitOutput {
  int exit_code = 0;
  Bytes out;
  Bytes err;
  bool cut = false;  ///< ended because of `max_output`; the exit code says nothing

  bool operator==(const GitOutput&) const = default;
};

/// Build the command line of one run of git, hardened (C-GIT-3): this is the only place where git is named.
///
/// The environment's GIT_ variables are taken away; system and user configuration is not read; whatever a repository
/// can make git run (hooks, fsmonitor, pager, external diff, editors, helpers, transports) is overridden; no optional
/// lock is taken; path arguments are no patterns; nothing is fetched. Filters and text conversions have names that
/// cannot be listed, so nothing that reads the work tree or shows content may run on a repository's own git directory:
/// such runs use a `ScratchRepository`, whose configuration is ours.
CommandSpec git_command(const GitPlace& place, GitRun run);

/// Run git in the workspace's root. Errors beside those of `Workspace::run`: `unsupported` with the next step when git
/// is not installed there, `timed_out`, `cancelled`, `unavailable` when it has no exit record, `io` when a signal ended
/// it.
Result<GitOutput> run_git(const Call& call, Workspace& workspace, const GitPlace& place, GitRun run);

/// Run a shell script of ours with arguments (`$1`, …), with the same environment and the same errors.
Result<GitOutput> run_script(const Call& call, Workspace& workspace, std::string_view script,
                             std::vector<Bytes> arguments, std::optional<Bytes> input = {},
                             std::int64_t max_output = 64 * 1024 * 1024);

/// The output without one newline at its end: how git and sh print a single value that may hold newlines.
BytesView without_newline(BytesView output) noexcept;

}  // namespace berth::git
