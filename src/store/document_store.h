#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/call.h"
#include "base/result.h"

namespace berth::store {

/// A state of a stored document. Opaque; every successful `create` and `put` gives the document a version it never had
/// before, even when the bytes are the same.
struct Version {
  std::string text;

  bool operator==(const Version&) const = default;
};

struct StoredDocument {
  Bytes content;
  Version version;

  bool operator==(const StoredDocument&) const = default;
};

struct StoreOptions {
  /// Of one document, checked before it is written and before it is read: `too_large` with `limit`, `limit_bytes` and
  /// `size_bytes`.
  std::int64_t max_document_bytes = 64 * 1024 * 1024;
};

/// Keeps documents by id: bytes with a version, so that writers in several processes compare and swap.
///
/// A change is atomic and durable: when a call has returned, the change survives a crash of process and machine; when a
/// process is killed in the middle of one, the document is the old one or the new one, whole. An unreadable document is
/// an error, never an empty one. Safe from many threads and, but for the memory store, from many processes at once.
/// Every method may fail with `timed_out`, `cancelled`, `permission_denied`, `no_space`, `too_large` or `io` besides
/// the errors it lists; an id outside the grammar of `is_document_id` is `invalid_argument`.
class DocumentStore {
 public:
  DocumentStore() = default;
  virtual ~DocumentStore() = default;
  DocumentStore(const DocumentStore&) = delete;
  DocumentStore& operator=(const DocumentStore&) = delete;

  /// Name the place: equal keys mean the same documents, whatever the spelling. Known without I/O.
  virtual const std::string& key() const noexcept = 0;

  /// Read a document. Missing: `not_found`.
  virtual Result<StoredDocument> get(const Call& call, std::string_view id) = 0;

  /// Read a document unless it still has the known version: then nothing, without reading it. Missing: `not_found`.
  virtual Result<std::optional<StoredDocument>> get_if_changed(const Call& call, std::string_view id,
                                                               const Version& known) = 0;

  /// Store a document that does not exist. There is one: `already_exists`.
  virtual Result<Version> create(const Call& call, std::string_view id, BytesView content) = 0;

  /// Replace a document that has the expected version. Missing: `not_found`; another version: `conflict`.
  virtual Result<Version> put(const Call& call, std::string_view id, BytesView content, const Version& expected) = 0;

  enum class Erased { yes, was_absent };

  /// Delete a document, whatever its version.
  virtual Result<Erased> erase(const Call& call, std::string_view id) = 0;

  /// Give all ids, sorted by bytes.
  virtual Result<std::vector<std::string>> list(const Call& call) = 0;
};

/// Whether a text can be a document's id: 1 to 128 characters of `a-z 0-9 . _ -`, the first a letter or digit.
/// No id can leave a directory, hide, or meet another one on a file system that ignores case.
bool is_document_id(std::string_view text) noexcept;

/// Fail with `invalid_argument` unless the id is one.
Result<void> check_document_id(std::string_view id);

/// Fail with `too_large` when a document of `size_bytes` is over the limit.
Result<void> check_document_size(std::int64_t size_bytes, const StoreOptions& options);

}  // namespace berth::store
