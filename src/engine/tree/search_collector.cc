#include "engine/tree/search_collector.h"

#include <iterator>

namespace berth::engine {

void BatchFindings::add(const SearchQuery& query, const FilePlace& place, FileFindings findings) {
  if (findings.outcome != FileFindings::Outcome::binary) rest_.bytes += findings.bytes;
  switch (findings.outcome) {
    case FileFindings::Outcome::passed_over: return;
    case FileFindings::Outcome::binary: ++rest_.binary; return;
    case FileFindings::Outcome::unreadable: rest_.unreadable.push_back({place.path(), findings.code}); break;
    case FileFindings::Outcome::searched: ++rest_.searched; break;
  }
  if (findings.matches == 0 && rest_.unreadable.empty()) return;
  if (query.mode == SearchQuery::Mode::lines) {
    for (const auto& line : findings.lines) text_ += text_bytes(line);
    rest_.lines = std::move(findings.lines);
  } else if (findings.matches > 0) {
    rest_.files.push_back({place.path(), findings.matches});
  }
  records_ += std::ssize(rest_.lines) + std::ssize(rest_.files);
  portions_.push_back(std::move(rest_));
  rest_ = {};
}

bool SearchCollector::wait_for_room(std::int64_t batch) {
  std::unique_lock lock(mutex_);
  moved_.wait(lock, [&] {
    return done_ || batch == next_ || (waiting_text_ <= query_.max_bytes && batch - next_ < kMostWaitingBatches);
  });
  return !done_;
}

void SearchCollector::hand_in(std::int64_t batch, BatchFindings findings) {
  const std::lock_guard lock(mutex_);
  waiting_text_ += findings.text();
  waiting_.emplace(batch, std::move(findings));
  while (!done_ && !waiting_.empty() && waiting_.begin()->first == next_) {
    BatchFindings first = std::move(waiting_.begin()->second);
    waiting_.erase(waiting_.begin());
    waiting_text_ -= first.text();
    ++next_;
    take(std::move(first));
  }
  moved_.notify_all();
}

bool SearchCollector::done() {
  const std::lock_guard lock(mutex_);
  return done_;
}

void SearchCollector::take(BatchFindings findings) {
  unreadable_.add(std::move(findings.unreadable_));
  for (auto& portion : findings.portions_) {
    if (!take(std::move(portion))) {
      done_ = true;
      return;
    }
  }
  take(std::move(findings.rest_));
}

/// False when the result is full.
bool SearchCollector::take(BatchFindings::Portion portion) {
  result_.files_searched += portion.searched;
  result_.files_binary += portion.binary;
  result_.bytes_searched += portion.bytes;
  unreadable_.add(std::move(portion.unreadable));
  for (auto& line : portion.lines) {
    if (seen_++ < query_.offset) continue;
    if (!has_room(text_bytes(line))) return false;
    result_.lines.push_back(std::move(line));
  }
  for (auto& file : portion.files) {
    if (seen_++ < query_.offset) continue;
    if (!has_room(std::ssize(file.path.text()))) return false;
    result_.files.push_back(std::move(file));
  }
  return true;
}

bool SearchCollector::has_room(std::int64_t record_bytes) {
  // The first record always has room, so that the next page gets further.
  const bool too_many = query_.limit && taken_ == *query_.limit;
  const bool too_large = taken_ > 0 && text_ + record_bytes > query_.max_bytes;
  if (too_many || too_large) {
    result_.stopped_by = too_many ? SearchBound::results : SearchBound::bytes;
    result_.next_offset = query_.offset + taken_;
    return false;
  }
  ++taken_;
  text_ += record_bytes;
  return true;
}

SearchResult SearchCollector::finish(std::optional<SearchBound> ended_by) {
  const std::lock_guard lock(mutex_);
  // After an early end some batches were never handed in; what comes after them is still worth having.
  for (auto& [batch, findings] : waiting_) {
    if (!done_) take(std::move(findings));
  }
  waiting_.clear();
  if (!result_.stopped_by) result_.stopped_by = ended_by;
  result_.unreadable = unreadable_.take();
  return std::move(result_);
}

}  // namespace berth::engine
