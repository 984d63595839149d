#pragma once

#include "contract/capabilities.h"
#include "contract/transactions.h"
#include "providers/state/document_session.h"

namespace berth::state {

/// Reads of a document: of one state of it, whatever is written meanwhile. There are no links; every path is its own
/// real path. Modes are 0644 or 0755 by the git mode, directories 0755; directories have no times.
class StateReads final : public FileReads {
 public:
  explicit StateReads(DocumentSession& session) noexcept : session_(session) {}

  Result<ReadPage> read(const Call& call, const Path& path, const ReadRange& range) override;
  Result<LinePage> read_lines(const Call& call, const Path& path, const LineRange& range) override;
  Result<FileStat> stat(const Call& call, const Path& path, FollowLeaf follow) override;
  Result<DirectoryListing> list_directory(const Call& call, const Path& path) override;
  Result<Path> real_path(const Call& call, const Path& path) override;

 private:
  DocumentSession& session_;
};

/// Changes of a document: each is one store put, so it is atomic and durable. A name that is not UTF-8 cannot be
/// written (`invalid_argument`): JSON has no way to hold it.
class StateWrites final : public FileWrites {
 public:
  explicit StateWrites(DocumentSession& session) noexcept : session_(session) {}

  Result<WriteOutcome> write(const Call& call, const Path& path, BytesView content, const WriteSpec& spec) override;
  Result<RemoveOutcome> remove(const Call& call, const Path& path, const RemoveSpec& spec) override;
  Result<MoveOutcome> move(const Call& call, const Path& from, const Path& to, const MoveSpec& spec) override;
  Result<MakeDirectoryOutcome> make_directory(const Call& call, const Path& path) override;
  Result<PruneOutcome> prune_empty_directories(const Call& call, const Path& path,
                                               std::int64_t max_directories) override;

 private:
  DocumentSession& session_;
};

/// Several changes of a document in one store put: atomic and durable, so there is nothing to roll back.
class StateTransactions final : public FileTransactions {
 public:
  explicit StateTransactions(DocumentSession& session) noexcept : session_(session) {}

  Result<TransactionOutcome> apply(const Call& call, std::span<const FileOperation> operations) override;

 private:
  DocumentSession& session_;
};

/// Find a file; the error says why there is none: `not_found`, `is_a_directory` or `not_a_directory`.
Result<const StoredFile*> require_file(const Document& document, const Path& path);

/// Why nothing stands at a path: `not_a_directory` when a file stands where a parent should be, else `not_found`.
Error nothing_at(const Document& document, const Path& path);

}  // namespace berth::state
