#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/call.h"
#include "base/result.h"
#include "providers/state/document.h"
#include "providers/state/timestamp.h"
#include "store/call_mutex.h"
#include "store/document_store.h"

namespace berth::state {

/// One stored document in use: what it holds now, and changes that lose nothing to other processes.
///
/// The parsed document is kept and read again only when the store has another version. Readers share it and wait for
/// nobody. Every change is one store put. Safe from many threads.
class DocumentSession {
 public:
  enum class Origin {
    make_new,      ///< `ensure` creates an empty document under this id
    attach,        ///< the document must exist
    make_on_write  ///< may be missing until the first change that makes something
  };

  DocumentSession(std::shared_ptr<store::DocumentStore> store, std::string id, Origin origin)
      : store_(std::move(store)), id_(std::move(id)), origin_(origin) {}

  /// Create or find the document, once. `environment_gone` when it must exist and does not.
  Result<void> ensure(const Call& call);
  /// Whether the document was there at some time.
  bool existed() const noexcept { return existed_.load(); }

  const store::DocumentStore& store() const noexcept { return *store_; }
  const std::string& id() const noexcept { return id_; }

  struct Snapshot {
    std::shared_ptr<const Document> document;
    store::Version version;  ///< empty: the document does not exist yet
  };

  /// What the document holds now. Missing: `environment_gone`; not a workspace document: `io` with what is wrong.
  Result<Snapshot> read(const Call& call);

  enum class Missing { is_gone, is_made };
  enum class Change { none, made };

  /// Apply a change to a copy of the document and put it in the store. When another process was faster, begin again
  /// with what it wrote, until the call ends: `change` runs as often as that takes. Threads of this session take turns.
  Result<void> update(const Call& call, Missing missing, const std::function<Result<Change>(Document&)>& change);

  /// The time of a change: now, but later than any this session gave before and than `previous`, so that a file's
  /// change token never comes back.
  std::string stamp(std::string_view previous);

 private:
  Result<Snapshot> load(const Call& call);
  Result<store::Version> put(const Call& call, const Document& document, const store::Version& expected);
  std::optional<Snapshot> cached();
  Snapshot keep(std::shared_ptr<const Document> document, store::Version version);
  Error gone() const;

  const std::shared_ptr<store::DocumentStore> store_;
  const std::string id_;
  const Origin origin_;
  std::atomic<bool> ensured_{false};
  std::atomic<bool> existed_{false};
  store::CallMutex turn_;
  std::mutex mutex_;  ///< of the members below
  std::optional<Snapshot> cache_;
  Timestamp last_stamp_{};
};

}  // namespace berth::state
