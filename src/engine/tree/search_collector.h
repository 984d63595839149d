#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <vector>

#include "contract/search.h"
#include "engine/tree/file_search.h"
#include "engine/tree/unreadable_list.h"

namespace berth::engine {

/// What one batch of files gave, in order. Only files that gave something take room.
class BatchFindings {
 public:
  explicit BatchFindings(std::vector<Unreadable> unreadable) : unreadable_(std::move(unreadable)) {}

  void add(const SearchQuery& query, const FilePlace& place, FileFindings findings);
  std::int64_t text() const noexcept { return text_; }
  std::int64_t records() const noexcept { return records_; }

 private:
  friend class SearchCollector;

  struct Portion {
    std::int64_t searched = 0;  ///< of this file and those before it that gave nothing
    std::int64_t binary = 0;
    std::int64_t bytes = 0;
    std::vector<SearchMatch> lines;
    std::vector<FileMatches> files;
    std::vector<Unreadable> unreadable;
  };

  std::vector<Unreadable> unreadable_;
  std::vector<Portion> portions_;
  Portion rest_;
  std::int64_t text_ = 0;
  std::int64_t records_ = 0;
};

/// Puts batches that are searched at the same time together in their order, up to the bounds of the query, so that the
/// result is the same for any number of threads. Memory: a few times `max_bytes`. Safe from many threads at once.
class SearchCollector {
 public:
  explicit SearchCollector(const SearchQuery& query) : query_(query) {}

  /// Wait until there is room for what a batch may give. False when no more is wanted. The first batch that was not
  /// handed in yet never waits, so the wait ends when its thread looks at the call.
  bool wait_for_room(std::int64_t batch);
  /// Hand in a batch; each number exactly once.
  void hand_in(std::int64_t batch, BatchFindings findings);
  bool done();

  /// The result, when all threads are done. `ended_by`: a bound outside the result, if one was hit.
  SearchResult finish(std::optional<SearchBound> ended_by);

 private:
  static constexpr std::int64_t kMostWaitingBatches = 1024;

  void take(BatchFindings findings);
  bool take(BatchFindings::Portion portion);
  bool has_room(std::int64_t record_bytes);

  const SearchQuery& query_;
  std::mutex mutex_;
  std::condition_variable moved_;
  std::map<std::int64_t, BatchFindings> waiting_;
  std::int64_t waiting_text_ = 0;
  std::int64_t next_ = 0;
  bool done_ = false;
  std::int64_t seen_ = 0;  ///< records, those skipped included
  std::int64_t taken_ = 0;
  std::int64_t text_ = 0;
  SearchResult result_;
  UnreadableList unreadable_;
};

}  // namespace berth::engine
