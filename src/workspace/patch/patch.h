#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "contract/files.h"
#include "path/path.h"
#include "workspace/edit/edit.h"

namespace berth {

/// One line of a hunk, with its ending as the patch has it; none where the patch says that there is none.
struct HunkLine {
  enum class Kind : std::uint8_t { context, removed, added };

  Kind kind = Kind::context;
  Bytes text;

  bool operator==(const HunkLine&) const = default;
};

/// A hunk of a unified diff: a place by number and the lines that must stand there.
struct UnifiedHunk {
  std::int64_t old_line = 0;  ///< from 1; 0 where the old file has no lines
  std::int64_t new_line = 0;
  std::vector<HunkLine> lines;

  bool operator==(const UnifiedHunk&) const = default;
};

/// A hunk of the `*** Begin Patch` form: a place by its lines only. Texts have no endings: the file's are used.
struct BlockHunk {
  std::vector<Bytes> headers;  ///< lines that stand above the place, outermost first
  std::vector<HunkLine> lines;
  bool at_end = false;  ///< `*** End of File`: the last line is the file's last

  bool operator==(const BlockHunk&) const = default;
};

/// What happens to a content; nothing when it stays as it is.
using ContentChange = std::variant<std::monostate, std::vector<Edit>, std::vector<UnifiedHunk>, std::vector<BlockHunk>>;

/// What a patch asks for one file. Nothing was looked at yet.
struct PatchOperation {
  enum class Kind : std::uint8_t { create, update, remove, move, copy };

  Kind kind = Kind::update;
  Path path;                                  ///< the file; of a move or copy: where it comes from
  Path to;                                    ///< move and copy only
  std::optional<Path> without_first;          ///< see `Patch`
  std::optional<Revision> expected_revision;  ///< of what stands at `path`; not for create
  std::optional<GitMode> git_mode;            ///< to set; absent: keep, or the umask for new files
  Bytes content;                              ///< create only
  ContentChange change;                       ///< of update, move, copy; of remove: must leave nothing

  /// Where the result stands.
  const Path& target() const noexcept { return kind == Kind::move || kind == Kind::copy ? to : path; }

  bool operator==(const PatchOperation&) const = default;
};

/// A parsed patch, whatever its form (C-PATCH-1).
///
/// The name `src/f` of a unified diff has no prefix as `a/`. Taken as written it is the operation's path; git would
/// take its first directory off, and that is `without_first`. Which one is meant is told by the files that there are.
struct Patch {
  std::vector<PatchOperation> operations;

  bool operator==(const Patch&) const = default;
};

/// How a patch is written.
enum class PatchForm : std::uint8_t {
  unified,     ///< `diff -u` and `git diff`
  begin_patch  ///< `*** Begin Patch`
};

/// Tell the form by the first line that is not blank.
PatchForm form_of(BytesView text) noexcept;

/// Read a patch in either form. Nothing is looked up; every refusal is `patch_rejected` with a `reason`, see
/// patch_errors.h. At most `limits::kPatchFiles` files and `limits::kPatchBytes` bytes: `too_large` with `limit`.
Result<Patch> parse_patch(BytesView text, PatchForm form);

/// Check what the parsers check by themselves: the number of operations, and that no two of them mean one file in a way
/// that depends on their order. For operations that a program made.
Result<void> check_operations(const Patch& patch);

}  // namespace berth
