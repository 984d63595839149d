#pragma once

#include "base/call.h"
#include "engine/transactions/journal.h"

namespace berth::engine {

/// How undoing a step went.
enum class Undone {
  yes,     ///< what stood there before stands there, whether or not the step had been done
  changed  ///< somebody else changed what the step had made: that stays
};

/// Undo a step, whether it was done, half done or not begun. May be repeated. Errors: the file system's.
Result<Undone> undo_step(const Call& call, const os::Root& root, const JournalStep& step);

/// Remove what a step kept for its undoing, once nobody will undo it.
void forget_step(const os::Root& root, const JournalStep& step) noexcept;

/// Remove the directories that were made for a transaction, as far as they are empty.
void unmake_directories(const os::Root& root, const std::vector<Path>& made) noexcept;

}  // namespace berth::engine
