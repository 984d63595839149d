#pragma once

#include "base/call.h"
#include "contract/files.h"
#include "engine/files/file_engine.h"

namespace berth::engine {

/// Write a whole file (C-WRITE-1 to C-WRITE-8). The steps: content goes to a temporary file beside the target; the
/// parent is locked; what stands there is looked at (and compared); one rename puts the file in place.
///
/// Like every replacement by rename it needs permission to the directory, not to the file: a file without write
/// permission is replaced. Hard links are broken, ACLs and extended attributes are not kept. Demands on the file's mode
/// or token go with `always` (then the file must exist) and `revision_matches`; with `absent`: `invalid_argument`.
Result<WriteOutcome> write_file(const Call& call, FileEngine& engine, const Path& path, BytesView content,
                                const WriteSpec& spec);

}  // namespace berth::engine
