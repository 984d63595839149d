#include "engine/commands/run_ids.h"

#include <utility>

namespace berth::engine {
namespace {

std::size_t weight(const std::string& id, const CommandOutcome& outcome) {
  return id.size() + outcome.reason.size() + outcome.out.head.size() + outcome.out.tail.size() +
         outcome.err.head.size() + outcome.err.tail.size();
}

/// Runs a function at the end of a scope, however it is left.
template <typename F>
class AtEnd {
 public:
  explicit AtEnd(F function) : function_(std::move(function)) {}
  ~AtEnd() { function_(); }
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;

 private:
  F function_;
};

}  // namespace

Result<CommandOutcome> RunIds::once(const Call& call, const std::string& id,
                                    const std::function<Result<CommandOutcome>()>& run) {
  {
    std::unique_lock lock(mutex_);
    while (true) {
      const auto entry = entries_.find(id);
      if (entry == entries_.end()) break;
      if (entry->second != finished_.end()) return entry->second->outcome;
      BERTH_CHECK(call.check());
      const auto ended = [&] {
        const auto now = entries_.find(id);
        return now == entries_.end() || now->second != finished_.end();
      };
      if (call.deadline.is_never()) {
        changed_.wait(lock, call.stop, ended);
      } else {
        changed_.wait_until(lock, call.stop, call.deadline.when(), ended);
      }
    }
    entries_.emplace(id, finished_.end());
  }
  std::optional<CommandOutcome> outcome;
  const AtEnd settle([&] {
    const std::lock_guard lock(mutex_);
    entries_.erase(id);
    if (outcome) remember(id, *outcome);
    changed_.notify_all();
  });
  auto result = run();
  if (result) outcome = *result;
  return result;
}

void RunIds::remember(const std::string& id, const CommandOutcome& outcome) {
  finished_.push_back({id, outcome, weight(id, outcome)});
  bytes_ += finished_.back().bytes;
  entries_.emplace(id, std::prev(finished_.end()));
  while (!finished_.empty() && (finished_.size() > max_outcomes_ || bytes_ > max_bytes_)) {
    bytes_ -= finished_.front().bytes;
    entries_.erase(finished_.front().id);
    finished_.pop_front();
  }
}

}  // namespace berth::engine
