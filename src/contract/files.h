#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "contract/change_token.h"
#include "path/path.h"

namespace berth {

/// What stands at a path.
enum class FileKind : std::uint8_t { file, directory, symlink, other };

/// The two modes git knows for a regular file.
enum class GitMode : std::uint8_t { regular /* 100644 */, executable /* 100755 */ };

/// A name of a file's content: equal revisions mean equal bytes. Opaque to callers; today `sha256:<hex>`.
struct Revision {
  std::string text;

  auto operator<=>(const Revision&) const = default;
};

/// Facts about one path (C-READ-7).
struct FileStat {
  FileKind kind = FileKind::other;
  std::int64_t size = 0;  ///< bytes; 0 where the kind has none
  std::chrono::sys_time<std::chrono::nanoseconds> modified_at{};
  std::uint32_t mode = 0;            ///< permission bits, 07777; 0 where there are none
  std::optional<GitMode> git_mode;   ///< regular files only
  std::optional<Bytes> link_target;  ///< symlinks only, as stored
  bool target_is_directory = false;  ///< symlinks only: the link leads, inside the root, to a directory
  ChangeToken token;

  bool operator==(const FileStat&) const = default;
};

/// Whether a symlink at the end of the path is looked through.
enum class FollowLeaf : std::uint8_t { no, yes };

/// One name in a directory, not followed.
struct DirectoryEntry {
  Bytes name;
  FileStat stat;

  bool operator==(const DirectoryEntry&) const = default;
};

/// Something that could not be looked at, named so that a result is never silently short.
struct Unreadable {
  Path path;
  ErrorCode code = ErrorCode::io;

  bool operator==(const Unreadable&) const = default;
};

/// The names in one directory, sorted by bytes.
struct DirectoryListing {
  std::vector<DirectoryEntry> entries;

  bool operator==(const DirectoryListing&) const = default;
};

/// Whether a read computes what needs the whole content hashed.
enum class WantRevision : std::uint8_t { yes, no };

/// Which bytes of a file to read.
struct ReadRange {
  std::int64_t offset = 0;
  std::optional<std::int64_t> max_bytes;  ///< must be > 0; absent: to the end
  WantRevision want_revision = WantRevision::yes;

  bool operator==(const ReadRange&) const = default;
};

/// A page of a file. Size and content come from one open file that did not change in between (C-READ-1, -5).
struct ReadPage {
  Bytes content;
  std::int64_t offset = 0;
  std::int64_t total_bytes = 0;
  bool truncated = false;                   ///< bytes follow this page
  std::optional<std::int64_t> next_offset;  ///< when truncated
  std::optional<Revision> revision;         ///< complete reads from offset 0 only, when wanted
  std::optional<GitMode> git_mode;          ///< complete reads from offset 0 only
  ChangeToken token;

  bool operator==(const ReadPage&) const = default;
};

/// Which lines of a file to read. Lines end with LF only and count from 1 (C-READ-6).
struct LineRange {
  std::int64_t first = 1;
  std::optional<std::int64_t> count;    ///< must be > 0; absent: to the end
  std::int64_t max_bytes = 256 * 1024;  ///< of content; a page stops before the line that would exceed it
  bool count_lines = false;             ///< read on to the end to know `total_lines`

  bool operator==(const LineRange&) const = default;
};

/// A page of lines. `content` holds whole lines with their endings. A single line longer than `max_bytes` is cut
/// and `line_cut` says so; reading goes on at `next_line` after it.
struct LinePage {
  Bytes content;
  std::int64_t first_line = 1;
  std::int64_t line_count = 0;    ///< lines in `content`
  std::int64_t first_offset = 0;  ///< byte offset of the first line
  std::int64_t total_bytes = 0;
  std::optional<std::int64_t> total_lines;  ///< when the end was reached or counting was asked
  bool truncated = false;
  bool line_cut = false;
  std::optional<std::int64_t> next_line;  ///< when truncated
  ChangeToken token;

  bool operator==(const LinePage&) const = default;
};

/// What must hold for a write to happen (C-WRITE-5, -6).
struct WriteSpec {
  enum class When : std::uint8_t {
    always,           ///< create or overwrite
    absent,           ///< `already_exists` when anything stands there, a dangling link included
    revision_matches  ///< compare and swap against `expected_revision`; `not_found` when missing
  };

  When when = When::always;
  Revision expected_revision;                 ///< for revision_matches
  std::optional<GitMode> expected_git_mode;   ///< `mode_mismatch`, checked after the revision
  std::optional<ChangeToken> expected_token;  ///< `revision_mismatch` when the file was touched at all
  std::optional<GitMode> git_mode;            ///< set exactly 0644 or 0755; absent: keep, or the umask for new files

  bool operator==(const WriteSpec&) const = default;
};

struct WriteOutcome {
  Revision revision;                          ///< of the new content
  std::optional<Revision> previous_revision;  ///< known after a compare and swap
  bool created = false;                       ///< nothing stood there before
  std::int64_t bytes = 0;
  ChangeToken token;

  bool operator==(const WriteOutcome&) const = default;
};

/// What a removal means (C-WRITE-5: `delete`, `delete_if`, `remove`).
struct RemoveSpec {
  enum class What : std::uint8_t {
    file_if_present,   ///< missing is fine; a directory is `is_a_directory`
    file_if_revision,  ///< compare and unlink against `expected_revision`
    tree               ///< a file, link, special, or whole directory tree; links are not followed
  };

  What what = What::file_if_present;
  Revision expected_revision;
  std::optional<GitMode> expected_git_mode;
  std::optional<ChangeToken> expected_token;

  bool operator==(const RemoveSpec&) const = default;
};

struct RemoveOutcome {
  std::int64_t removed = 0;  ///< directory entries that are gone; 0: there was nothing to do

  bool operator==(const RemoveOutcome&) const = default;
};

struct MoveSpec {
  Revision expected_revision;  ///< of the source
  std::optional<GitMode> expected_git_mode;
  std::optional<ChangeToken> expected_token;

  bool operator==(const MoveSpec&) const = default;
};

struct MoveOutcome {
  enum class Fidelity : std::uint8_t {
    atomic_rename,  ///< one step: no observer saw both names or neither
    link_unlink     ///< linked under the new name, then unlinked under the old
  };

  Fidelity fidelity = Fidelity::atomic_rename;
  Revision revision;

  bool operator==(const MoveOutcome&) const = default;
};

struct MakeDirectoryOutcome {
  bool created = false;  ///< false: a directory stood there

  bool operator==(const MakeDirectoryOutcome&) const = default;
};

struct PruneOutcome {
  std::int64_t removed = 0;  ///< directories

  bool operator==(const PruneOutcome&) const = default;
};

}  // namespace berth
