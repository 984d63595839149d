#pragma once

#include "base/call.h"
#include "contract/files.h"
#include "engine/files/file_engine.h"

namespace berth::engine {

/// Make a directory and its missing parents (C-WRITE-5). A directory there, or a link to one inside the root: nothing
/// to do. Anything else: `already_exists`. Parents that were made go again when the directory cannot be made.
Result<MakeDirectoryOutcome> make_directory(const Call& call, FileEngine& engine, const Path& path);

}  // namespace berth::engine
