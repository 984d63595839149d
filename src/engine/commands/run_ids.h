#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/call.h"
#include "contract/commands.h"

namespace berth::engine {

/// Remembers the outcomes of commands by their run id, so that a repeated request runs nothing (C-RUN-7).
///
/// Bounded: the newest `kOutcomes` outcomes with at most `kBytes` of kept output are remembered, the oldest forgotten
/// first. In memory only. Safe from many threads.
class RunIds final {
 public:
  static constexpr std::size_t kOutcomes = 1024;
  static constexpr std::size_t kBytes = 64 * 1024 * 1024;

  explicit RunIds(std::size_t max_outcomes = kOutcomes, std::size_t max_bytes = kBytes)
      : max_outcomes_(max_outcomes), max_bytes_(max_bytes) {}

  /// Return the outcome of the id: the remembered one, or that of the run under way when it ends, or what `run`
  /// returns. A failed `run` is not remembered; one of those who waited runs instead. Waiting honours the call.
  Result<CommandOutcome> once(const Call& call, const std::string& id,
                              const std::function<Result<CommandOutcome>()>& run);

 private:
  struct Finished {
    std::string id;
    CommandOutcome outcome;
    std::size_t bytes = 0;
  };
  using Entry = std::list<Finished>::iterator;

  void remember(const std::string& id, const CommandOutcome& outcome);

  const std::size_t max_outcomes_;
  const std::size_t max_bytes_;

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::list<Finished> finished_;                    ///< oldest first
  std::unordered_map<std::string, Entry> entries_;  ///< `finished_.end()`: running
  std::size_t bytes_ = 0;
};

}  // namespace berth::engine
