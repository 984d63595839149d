#pragma once

#include "base/call.h"
#include "contract/files.h"
#include "os/root.h"

namespace berth::engine {

/// List a directory, entries not followed, sorted by bytes (C-READ-7). Temporary files of writes never show; an entry
/// that vanishes meanwhile is left out. Memory: the listing.
Result<DirectoryListing> list_directory(const Call& call, const os::Root& root, const Path& path);

}  // namespace berth::engine
