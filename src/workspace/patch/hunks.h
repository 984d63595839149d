#pragma once

#include <span>

#include "base/bytes.h"
#include "base/result.h"
#include "workspace/patch/patch.h"

namespace berth {

/// Apply the hunks of a unified diff, all or none.
///
/// A hunk is placed where its context and removed lines stand exactly. They stand at the stated line (the new one, as
/// moved by the hunks before), or else at exactly one place in the file: that place. Nothing is ever placed by number
/// against its lines, and no line is left out of the comparison. As by `git apply`, a hunk whose header begins at line
/// 0 or 1 stands at the file's start, one without context at its end stands at the file's end, and no two hunks share a
/// line. Two places of which none is the stated one are refused: where git takes the nearest, nobody knows.
///
/// Endings are part of a line. Only when the hunks do not fit so, and every line of the file ends with CRLF and none of
/// the patch does, or the other way round, the patch is read with the file's endings.
///
/// Errors: `patch_rejected` with `reason` (no_context, not_found, ambiguous_place, already_applied), `hunk` (from 1),
/// `expected_line`, and up to five `places` (`line: snippet`): where it fits, or where it would if white space did not
/// count, or what stands at the expected line. Time: linear in content and hunks, but for each hunk that does not stand
/// at its line one more pass over the content.
Result<Bytes> apply_unified_hunks(BytesView content, std::span<const UnifiedHunk> hunks);

/// Apply the hunks of the `*** Begin Patch` form, all or none, in their order.
///
/// The text of lines is compared without endings. A header stands at exactly one line below the hunk before, white
/// space at both ends not counted. The hunk's lines stand at exactly one place below its headers; with `at_end`, at the
/// file's end. What stays keeps its ending, new lines take that of the line they replace or follow, and the file
/// ends with a newline if it did before. A hunk that only adds has no place, but at the end with `at_end`, or in an
/// empty file. Errors: as above, without `expected_line`.
Result<Bytes> apply_block_hunks(BytesView content, std::span<const BlockHunk> hunks);

}  // namespace berth
