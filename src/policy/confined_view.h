#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

#include "policy/real_targets.h"
#include "policy/rebase.h"

namespace berth {

/// Where a confined view lies in its inner workspace. Safe from many threads.
class ConfinedView {
 public:
  ConfinedView(Backend& inner, Path directory) : inner_(inner), directory_(std::move(directory)) {}

  /// The real path of the view's root, looked up once; a failed look-up is tried again by the next caller. Errors that
  /// are about the root name it, as it is called in the inner workspace.
  Result<const Path*> base(const Call& call);

 private:
  Result<Path> look_up(const Call& call) const;

  Backend& inner_;
  const Path directory_;
  std::mutex lookup_;
  std::optional<Path> base_;
  std::atomic<bool> known_ = false;
};

/// Refuse a real path outside the view.
Result<void> check_inside(const Path& base, const Path& real);

/// The faces of a backend behind `make_confined`. The view must outlive them.
std::unique_ptr<FileReads> make_confined_reads(RealTargets targets, ConfinedView& view);
std::unique_ptr<FileWrites> make_confined_writes(RealTargets targets, ConfinedView& view);
std::unique_ptr<TreeSearch> make_confined_search(RealTargets targets, ConfinedView& view);
std::unique_ptr<FileTransactions> make_confined_transactions(RealTargets targets, ConfinedView& view);

}  // namespace berth
