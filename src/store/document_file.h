#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "os/root.h"
#include "store/document_store.h"

namespace berth::store {

/// The id of the one document in a store that `open_document_file` gave.
inline constexpr std::string_view kOnlyDocument = "document";

struct DocumentFile {
  std::unique_ptr<DocumentStore> store;
  std::string absolute_name;  ///< of the file, links resolved
};

/// Treat one host file as a store of one document, with the promises of the directory store: processes that open the
/// same file lose no update of each other. The file may be missing; it is made by `create`. Its parent directory is
/// pinned by descriptor and must exist. A link is resolved here, so that its target is what changes; the file's
/// permission bits are kept. Errors: `not_found` (the parent, or a dangling link's target), `not_a_directory`,
/// `is_a_directory` (the file), `not_regular`, `permission_denied`, `symlink_loop`, `invalid_argument` (an empty name).
Result<DocumentFile> open_document_file(const os::HostPath& file, StoreOptions options = {});

}  // namespace berth::store
