#pragma once

#include <memory>

#include "os/root.h"
#include "store/document_store.h"

namespace berth::store {

/// Keep documents as files of a directory, `ID.json` each, with nothing around the bytes: other programs can read them
/// at any time, and replace them by a rename. The directory is made when it is missing (its parent must exist), mode
/// 0700, and pinned by descriptor. Writers take turns on the directory's flock. Files of other names are left alone.
/// Errors: `not_found`, `not_a_directory`, `permission_denied`.
Result<std::unique_ptr<DocumentStore>> open_directory_store(const os::HostPath& directory, StoreOptions options = {});

}  // namespace berth::store
