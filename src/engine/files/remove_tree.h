#pragma once

#include "base/call.h"
#include "contract/files.h"
#include "engine/files/file_engine.h"

namespace berth::engine {

/// Remove whatever stands at a leaf, a directory with everything in it (see remove_path.h). A directory that is the
/// root or holds it, by whatever mount it got there, is refused with `invalid_argument`.
Result<RemoveOutcome> remove_tree(const Call& call, FileEngine& engine, const os::Root::Leaf& leaf);

}  // namespace berth::engine
