#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/tree/unreadable_list.h"
#include "engine/tree/walk_scope.h"

namespace berth::engine {

/// Receives a worker's share of a walk: the files of one directory, then its end. One thread.
class FileSink {
 public:
  virtual ~FileSink() = default;
  virtual void file(const Path& directory, std::string_view name) = 0;
  virtual void end_directory(const Path& directory) = 0;
};

/// Visits all files of a walk, in no order, with several threads that share one stack of directories. Deep before wide,
/// so that few directories are open at once.
class ParallelWalk {
 public:
  explicit ParallelWalk(WalkScope& scope) : scope_(scope) {}

  /// Walk; one sink for each thread that may be used. Helpers start only once there is more than the top. Fails when
  /// the call ends first.
  Result<void> run(const Call& call, const std::vector<FileSink*>& sinks);

  std::vector<Unreadable> take_unreadable() { return unreadable_.take(); }

 private:
  void work(const Call& call, FileSink& sink);
  Result<void> visit(const Call& call, const DirectoryHandle& directory, FileSink& sink);
  void report(const Path& directory, const Error& error);

  WalkScope& scope_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<DirectoryPlace> found_;  ///< a stack
  int busy_ = 0;
  std::optional<Error> failure_;
  UnreadableList unreadable_;
};

}  // namespace berth::engine
