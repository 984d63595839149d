#pragma once

#include "contract/capabilities.h"
#include "providers/state/document_session.h"

namespace berth::state {

/// Lists and searches of one state of a document, with the patterns, ignore rules and matcher that host directories
/// have.
class StateSearch final : public TreeSearch {
 public:
  explicit StateSearch(DocumentSession& session) noexcept : session_(session) {}

  Result<ListPage> list(const Call& call, const ListQuery& query) override;
  Result<SearchResult> search(const Call& call, const SearchQuery& query) override;

 private:
  DocumentSession& session_;
};

}  // namespace berth::state
