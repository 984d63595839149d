#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "contract/files.h"
#include "path/path.h"

namespace berth::git {

inline constexpr std::int64_t kDiffBytes = 1024 * 1024;               ///< of the text of a diff
inline constexpr std::int64_t kDiffFiles = 10'000;                    ///< changed paths that a diff compares
inline constexpr std::int64_t kDiffFileBytes = 8 * 1024 * 1024;       ///< of one file in it
inline constexpr std::int64_t kDiffContentBytes = 128 * 1024 * 1024;  ///< of all its files together

/// What a workspace is compared with, pinned when it was opened (C-GIT-1).
struct Baseline {
  enum class Kind : std::uint8_t {
    commit,        ///< the commit HEAD named
    no_commit,     ///< HEAD named a branch without a commit: everything is new
    no_repository  ///< nothing to compare with
  };

  Kind kind = Kind::no_repository;
  std::string commit;  ///< its name in hexadecimal digits

  bool operator==(const Baseline&) const = default;
};

/// What became of a path since the baseline.
enum class Change : std::uint8_t { added, modified, deleted, renamed, type_changed };

std::string_view change_name(Change change) noexcept;

/// One changed path in a diff.
struct FileChange {
  Change change = Change::modified;
  Path path;
  std::optional<Path> from;    ///< of a rename
  std::uint32_t old_mode = 0;  ///< git's modes; 0: nothing there
  std::uint32_t new_mode = 0;
  std::optional<std::int64_t> added_lines;  ///< absent for binary content
  std::optional<std::int64_t> removed_lines;

  bool operator==(const FileChange&) const = default;
};

/// A change whose content a diff does not hold.
struct NotShown {
  enum class Why : std::uint8_t {
    too_large,          ///< larger than `max_file_bytes`, or past `max_content_bytes`
    withheld,           ///< the workspace's policy keeps it back
    nested_repository,  ///< an untracked directory with a repository of its own
    special_file,       ///< a FIFO, socket or device
    unreadable          ///< could not be read, or kept changing
  };

  Path path;
  Why why = Why::unreadable;

  bool operator==(const NotShown&) const = default;
};

std::string_view why_name(NotShown::Why why) noexcept;

/// How much of what the repository's index says about files is believed.
enum class IndexTrust : std::uint8_t {
  /// As git does: a file whose size, times, inode and owner are those of its entry holds what the entry names. A
  /// program
  /// that forges the index or sets the clock back can hide a change so.
  stat_data,
  /// Not at all: every file of the baseline is read.
  none
};

struct DiffOptions {
  std::int64_t max_bytes = kDiffBytes;                 ///< of text; > 0
  std::int64_t max_files = kDiffFiles;                 ///< changed paths that are compared; > 0
  std::int64_t max_file_bytes = kDiffFileBytes;        ///< of one file; > 0
  std::int64_t max_content_bytes = kDiffContentBytes;  ///< of all changed files together
  IndexTrust trust = IndexTrust::stat_data;

  bool operator==(const DiffOptions&) const = default;
};

/// The work tree against the baseline (C-GIT-2).
struct Diff {
  Bytes text;                       ///< git's unified format with `a/` and `b/`; empty when nothing changed
  bool truncated = false;           ///< the text was cut at the end of a line, or paths were left out
  std::vector<FileChange> files;    ///< what was compared and differs, by path; complete also when the text was cut
  std::int64_t left_out = 0;        ///< changed paths past `max_files`
  std::vector<NotShown> not_shown;  ///< by path

  bool operator==(const Diff&) const = default;
};

/// One changed path, without renames.
struct StatusEntry {
  Path path;
  Change change = Change::modified;  ///< against the baseline, whatever the index holds
  bool untracked = false;            ///< a file that the index does not hold

  auto operator<=>(const StatusEntry&) const = default;
};

/// What was changed at a moment, to be compared with another one.
struct Snapshot {
  std::map<Path, ChangeToken> changed;  ///< every path that differs from the baseline; an absent one has no token

  bool operator==(const Snapshot&) const = default;
};

/// What `stage` did.
struct StageOutcome {
  struct Skipped {
    enum class Why : std::uint8_t { missing, ignored, nested_repository, special_file, too_large, unreadable };

    Path path;
    Why why = Why::missing;

    bool operator==(const Skipped&) const = default;
  };

  std::vector<Path> staged;      ///< index entries that were set or removed, by path
  std::vector<Skipped> skipped;  ///< in the order of the request

  bool operator==(const StageOutcome&) const = default;
};

}  // namespace berth::git
