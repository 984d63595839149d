#pragma once

#include "base/call.h"
#include "contract/files.h"
#include "engine/files/file_engine.h"

namespace berth::engine {

/// Remove a file or a tree (C-WRITE-5, -9). A link is removed itself. `file_if_revision` takes regular files only.
///
/// A tree is removed from its leaves up and is not atomic: a failure midway leaves the rest, and the error's field
/// `removed` says how many entries are gone. Files that others add meanwhile are removed too, as long as they do not
/// keep coming (`conflict`). Mount points are not entered (`conflict`). Demands go with `file_*` only; with `tree`:
/// `invalid_argument`.
Result<RemoveOutcome> remove_path(const Call& call, FileEngine& engine, const Path& path, const RemoveSpec& spec);

}  // namespace berth::engine
