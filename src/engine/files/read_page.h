#pragma once

#include "base/call.h"
#include "contract/files.h"
#include "engine/files/revision_cache.h"
#include "os/root.h"

namespace berth::engine {

/// Read a page of a file (C-READ-1 to C-READ-5).
///
/// What is promised about a file that changes meanwhile: a file that is replaced is read whole from the old one. A
/// change in place is seen by size, mtime and ctime before and after; a file changed less than a second ago is also
/// read a second time and compared, because a write that is still going on shows no newer timestamp. A foreign
/// program that was suspended in the middle of changing a file in place is not noticed: that is what the file holds.
/// Files whose size the kernel does not know (procfs, sysfs) are read to their end; `total_bytes` is what was read.
Result<ReadPage> read_page(const Call& call, const os::Root& root, RevisionCache& cache, const Path& path,
                           const ReadRange& range);

}  // namespace berth::engine
