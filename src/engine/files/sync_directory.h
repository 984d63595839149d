#pragma once

#include <vector>

#include "base/call.h"
#include "engine/files/new_parents.h"

namespace berth::engine {

/// Put the entries of a directory on the medium. `directory` is any descriptor of it, O_PATH too.
Result<void> sync_directory(int directory);

/// Put a new entry and the parents that were made for it on the medium.
Result<void> sync_parents(const Call& call, const os::Root& root, const NewParents& parents);

}  // namespace berth::engine
