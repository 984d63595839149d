#pragma once

#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "base/call.h"
#include "base/result.h"
#include "contract/files.h"
#include "path/path.h"

namespace berth {

/// One change of a transaction, with the meaning that the same call has alone (C-WRITE-5).
struct WriteOperation {
  Path path;
  Bytes content;
  WriteSpec spec;

  bool operator==(const WriteOperation&) const = default;
};

struct RemoveOperation {
  Path path;
  RemoveSpec spec;  ///< not `tree`

  bool operator==(const RemoveOperation&) const = default;
};

struct MoveOperation {
  Path from;
  Path to;
  MoveSpec spec;

  bool operator==(const MoveOperation&) const = default;
};

struct MakeDirectoryOperation {
  Path path;

  bool operator==(const MakeDirectoryOperation&) const = default;
};

using FileOperation = std::variant<WriteOperation, RemoveOperation, MoveOperation, MakeDirectoryOperation>;

/// How one operation of a transaction ended.
struct OperationOutcome {
  enum class State : std::uint8_t {
    applied,      ///< it is done
    not_started,  ///< nothing happened at its paths
    failed,       ///< it is why the transaction was not applied: see `error`; nothing of it remains
    rolled_back,  ///< it was done and undone
    unknown       ///< what stands at its paths cannot be proven
  };

  State state = State::not_started;
  std::optional<Error> error;                 ///< failed, and unknown where something is known
  std::optional<Revision> previous_revision;  ///< when it was compared
  std::optional<Revision> revision;           ///< of a write or move that was applied
  bool changed = false;                       ///< applied, and there was something to do
  bool created = false;                       ///< applied, and nothing stood there before

  bool operator==(const OperationOutcome&) const = default;
};

/// How a transaction ended (C-WRITE-11).
struct TransactionOutcome {
  enum class State : std::uint8_t {
    applied,              ///< all of it is done
    precondition_failed,  ///< nothing was changed: an operation could not have been done
    rolled_back,          ///< a change failed, what was done before it was undone
    ambiguous             ///< a change failed, and not all of what was done could be undone
  };

  State state = State::applied;
  std::vector<OperationOutcome> operations;  ///< one for each, in order

  bool operator==(const TransactionOutcome&) const = default;
};

/// The outcome when one operation cannot be done and nothing was changed.
inline TransactionOutcome precondition_failed(std::size_t operations, std::size_t index, Error error) {
  TransactionOutcome outcome{TransactionOutcome::State::precondition_failed, {}};
  outcome.operations.resize(operations);
  outcome.operations[index] = {.state = OperationOutcome::State::failed, .error = std::move(error)};
  return outcome;
}

/// Change several files, all or none. As every capability: any number of threads, and the call is honoured.
class FileTransactions {
 public:
  virtual ~FileTransactions() = default;

  /// Do all operations or none. What each demands (its `when`, revision, mode, token, a free destination) is checked
  /// for all of them, under locks, before the first change; a demand that does not hold is the outcome
  /// `precondition_failed`, not an error. A change that fails midway is followed by undoing the ones before it. Another
  /// process sees files change one after the other, each one whole.
  ///
  /// A path may be part of one operation only, by its real name, and no operation may need a path as a directory that
  /// another one makes or removes as a file: `invalid_argument` with the field `operation` (from 0). So is an empty
  /// list, and `RemoveSpec::What::tree`. More than `limits::kPatchFiles` operations: `too_large`. Errors mean that
  /// nothing was changed; a deadline or stop is honoured until the first change, after which the transaction is
  /// finished or undone.
  virtual Result<TransactionOutcome> apply(const Call& call, std::span<const FileOperation> operations) = 0;
};

}  // namespace berth
