#include "tools/read_ledger.h"

#include <utility>

#include "base/limits.h"

namespace berth::tools {

void ReadLedger::saw(const Path& real_path, Seen what) {
  const std::lock_guard lock(mutex_);
  auto& entry = seen_[real_path];
  by_turn_.erase(entry.turn);
  entry = {std::move(what), ++turn_};
  by_turn_.emplace(entry.turn, real_path);
  if (seen_.size() > limits::kLedgerFiles) {
    seen_.erase(by_turn_.begin()->second);
    by_turn_.erase(by_turn_.begin());
  }
}

std::optional<Seen> ReadLedger::seen(const Path& real_path) const {
  const std::lock_guard lock(mutex_);
  const auto found = seen_.find(real_path);
  if (found == seen_.end()) return std::nullopt;
  return found->second.what;
}

void ReadLedger::forget(const Path& real_path) {
  const std::lock_guard lock(mutex_);
  const auto found = seen_.find(real_path);
  if (found == seen_.end()) return;
  by_turn_.erase(found->second.turn);
  seen_.erase(found);
}

}  // namespace berth::tools
