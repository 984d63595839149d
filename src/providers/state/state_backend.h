#pragma once

#include <optional>
#include <string>

#include "providers/state/document_session.h"
#include "providers/state/state_files.h"
#include "providers/state/state_search.h"
#include "workspace/backend.h"

namespace berth::state {

/// A document as an environment: files, no commands, no links.
class StateBackend final : public Backend {
 public:
  using Origin = DocumentSession::Origin;

  /// `ref_id` is the id of the ref, which is not the document's where a store holds one document only.
  StateBackend(std::shared_ptr<store::DocumentStore> store, std::string document_id, std::string ref_id, Origin origin);

  const BackendInfo& info() const noexcept override { return info_; }
  std::optional<WorkspaceRef> ref() const override;
  Result<void> ensure(const Call& call) override { return session_.ensure(call); }
  FileReads* reads() noexcept override { return &reads_; }
  FileWrites* writes() noexcept override { return &writes_; }
  TreeSearch* search() noexcept override { return &search_; }
  FileTransactions* transactions() noexcept override { return &transactions_; }
  LinkFreeFaces link_free() noexcept override { return {&reads_, &writes_, &search_, &transactions_}; }

 private:
  const std::string ref_id_;
  const Origin origin_;
  DocumentSession session_;
  BackendInfo info_;
  StateReads reads_{session_};
  StateWrites writes_{session_};
  StateSearch search_{session_};
  StateTransactions transactions_{session_};
};

}  // namespace berth::state
