#pragma once

#include "base/call.h"
#include "contract/files.h"
#include "engine/files/file_engine.h"

namespace berth::engine {

/// Remove a tree of directories that holds nothing else (C-WRITE-10). The whole tree is looked at first; `not_empty`
/// and `too_large` (with `max_directories`) leave everything as it was. Should another process put something into the
/// tree during the removal, that stays, the error is `not_empty` and its field `removed` says how many are gone.
/// The root: `invalid_argument`; a file or link: `not_a_directory`.
Result<PruneOutcome> prune_directories(const Call& call, FileEngine& engine, const Path& path,
                                       std::int64_t max_directories);

}  // namespace berth::engine
