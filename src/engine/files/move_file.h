#pragma once

#include "base/call.h"
#include "contract/files.h"
#include "engine/files/file_engine.h"

namespace berth::engine {

/// Move a regular file without replacing anything (C-WRITE-7). Both parents are locked. One renameat2 where the kernel
/// and the file system have RENAME_NOREPLACE, else linkat and unlinkat, undone when the second step fails.
///
/// Nothing is copied: between file systems inside one root a move is `invalid_argument`, because it could not be one
/// step. A link or special file as the source is `not_regular`. When a foreign process swaps the source at the last
/// moment, what was moved is moved back and the error is `revision_mismatch`; when that fails too, `ambiguous` with the
/// field `state`.
Result<MoveOutcome> move_file(const Call& call, FileEngine& engine, const Path& from, const Path& to,
                              const MoveSpec& spec);

}  // namespace berth::engine
