#pragma once

#include "base/call.h"
#include "contract/files.h"
#include "engine/files/line_index.h"
#include "os/root.h"

namespace berth::engine {

/// Read whole lines of a file (C-READ-6). What is promised about a file that changes meanwhile is as for `read_page`;
/// of a file changed less than a second ago the page itself is compared, not the lines before it. Memory: the page and
/// one piece.
Result<LinePage> read_lines(const Call& call, const os::Root& root, LineIndexCache& cache, const Path& path,
                            const LineRange& range);

}  // namespace berth::engine
