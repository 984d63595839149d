#pragma once

#include <memory>
#include <string>
#include <vector>

#include "os/root.h"
#include "store/document_store.h"
#include "workspace/backend.h"

namespace berth::state {

/// Workspaces that are JSON documents in a store (README.md says what they can and cannot do). The id of a ref is the
/// document's id. Safe from many threads; the backends share the store and may outlive the provider.
class StateProvider final {
 public:
  explicit StateProvider(std::shared_ptr<store::DocumentStore> store) : store_(std::move(store)) {}

  /// A new workspace. Its document is made on first use, once, under an id drawn here; no I/O before (C-ENV-1).
  Result<std::unique_ptr<Backend>> create();

  /// A workspace that exists, also one whose document another program put into the store. No I/O; on first use a
  /// missing document is `environment_gone`. A ref of another provider, or whose id can be no document's:
  /// `foreign_ref`.
  Result<std::unique_ptr<Backend>> attach(const WorkspaceRef& ref);

  /// Delete a workspace. One that is gone is fine. Errors: `foreign_ref`, and those of the store.
  Result<void> destroy(const Call& call, const WorkspaceRef& ref);

  /// All workspaces in the store, sorted by id.
  Result<std::vector<WorkspaceRef>> list(const Call& call);

 private:
  std::shared_ptr<store::DocumentStore> store_;
};

/// Open one host file as a workspace. The id of its ref is the absolute name of the file, links resolved.
///
/// A missing file is made by the first call that makes something (`write`, `create`, `make_directory`); any other call
/// is `environment_gone`, so that a mistyped name does not look like an empty workspace. A file that was there and is
/// deleted later is `environment_gone` for every call. Processes that have the same file open lose no update.
/// Errors: those of `store::open_document_file`.
Result<std::unique_ptr<Backend>> open_state_file(const os::HostPath& file, store::StoreOptions options = {});

/// Attach by a ref that a workspace of `open_state_file` gave: the file must exist. Errors: `foreign_ref` when it is
/// not such a ref, or when a link took the file's place; `environment_gone` when the file is missing.
Result<std::unique_ptr<Backend>> attach_state_file(const WorkspaceRef& ref, store::StoreOptions options = {});

}  // namespace berth::state
