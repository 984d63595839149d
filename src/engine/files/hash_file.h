#pragma once

#include "base/call.h"
#include "engine/files/open_file.h"
#include "engine/files/revision_cache.h"

namespace berth::engine {

/// The revision of an open file, from the cache or by hashing it in pieces. Updates `file.stat` to the state that the
/// revision is of. Memory: one piece. Errors: `changed_during_read` when the file kept changing, `cancelled`,
/// `timed_out`, `io`.
Result<Revision> revision_of_file(const Call& call, RevisionCache& cache, OpenFile& file);

}  // namespace berth::engine
