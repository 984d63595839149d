#pragma once

#include <sys/stat.h>

#include <memory>
#include <optional>
#include <string>

#include "contract/transactions.h"
#include "engine/files/file_engine.h"
#include "engine/files/new_parents.h"
#include "engine/files/preconditions.h"
#include "engine/files/temp_file.h"
#include "engine/transactions/journal.h"

namespace berth::engine {

/// One operation of a transaction on its way: looked at, prepared beside its target, checked again under locks, done.
/// The steps are called in the order of the declarations, each at most once. One thread.
class Change {
 public:
  Change(FileEngine& engine, const FileOperation& operation) : engine_(engine), operation_(operation) {}

  /// Find what the operation means and whether it could be done now. Changes nothing.
  Result<void> look(const Call& call);

  /// Where the change happens: the real paths, known after `look`.
  const Path& path() const noexcept { return path_; }
  const Path& to() const noexcept { return to_; }
  bool is_move() const noexcept { return std::holds_alternative<MoveOperation>(operation_); }
  /// Whether the path is to be a file afterwards, or no longer is one.
  bool is_of_a_file() const noexcept { return !std::holds_alternative<MakeDirectoryOperation>(operation_); }
  /// The path whose missing parents are to be made.
  const Path* needs_parents() const noexcept;

  /// Make missing parents and write new content beside its target.
  Result<void> stage(const Call& call);

  /// The directories to lock.
  std::vector<int> directories() const;

  /// Under the locks: look again. False: what stands there is of another kind than before; begin again.
  Result<bool> confirm(const Call& call);

  /// What is going to be done; nothing when there is nothing to do.
  const std::optional<JournalStep>& step() const noexcept { return step_; }

  /// Keep what undoing needs, so that no change that was done has to fail for it.
  Result<void> keep();
  Result<void> act();

  /// All is done: the parents stay.
  void settle() noexcept;
  Result<void> sync(const Call& call);
  OperationOutcome outcome() const;

 private:
  const WriteOperation* write() const noexcept { return std::get_if<WriteOperation>(&operation_); }
  Result<void> look_at_write(const Call& call, const WriteOperation& operation);
  Result<void> look_at_remove(const Call& call, const RemoveOperation& operation);
  Result<void> look_at_move(const Call& call, const MoveOperation& operation);
  Result<void> look_at_directory(const Call& call, const MakeDirectoryOperation& operation);
  Result<void> compare(const Call& call);
  Result<bool> confirm_write(const Call& call, const WriteOperation& operation);
  Result<bool> confirm_remove(const Call& call);
  Result<bool> confirm_move(const Call& call);
  Result<bool> confirm_directory();
  Result<void> move();

  FileEngine& engine_;
  const FileOperation& operation_;
  Path path_;
  Path to_;
  LeafLinks links_ = LeafLinks::keep;
  bool missing_ = false;  ///< nothing stood at the path
  bool makes_parents_ = false;
  Preconditions wanted_;
  std::optional<os::Root::Leaf> leaf_;  ///< the parent of the path, while it exists
  std::optional<NewParents> parents_;   ///< of what is made
  std::optional<ComparedFile> compared_;
  std::optional<TempFile> temp_;
  std::optional<JournalStep> step_;
};

}  // namespace berth::engine
