#pragma once

#include <memory>

#include "os/root.h"
#include "store/document_store.h"

namespace berth::store {

/// Keep documents in one SQLite database (write-ahead log, every commit synced), made with mode 0600 when it is
/// missing; its directory must exist. Writers of all processes take turns; a wait for one ends with the call. The
/// database must lie on a local file system. Errors: `not_found` (the directory), `permission_denied`,
/// `invalid_argument` when the file is a database of something else or of a newer Berth, `io` when it is damaged or no
/// database at all.
Result<std::unique_ptr<DocumentStore>> open_sqlite_store(const Call& call, const os::HostPath& file,
                                                         StoreOptions options = {});

}  // namespace berth::store
