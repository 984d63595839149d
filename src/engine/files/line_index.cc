#include "engine/files/line_index.h"

#include <algorithm>

#include "engine/files/file_stat.h"

namespace berth::engine {

LinePager::Start LineIndex::mark_before(std::int64_t line) const noexcept {
  const auto after = std::ranges::upper_bound(marks, line, {}, &LinePager::Start::line);
  return after == marks.begin() ? LinePager::Start{} : *std::prev(after);
}

void LineIndex::add(LinePager::Start mark, std::int64_t distance) {
  const std::int64_t last = marks.empty() ? 0 : marks.back().offset;
  if (mark.offset >= last + distance) marks.push_back(mark);
}

std::int64_t LineIndexCache::mark_distance(std::int64_t file_bytes) noexcept {
  return std::max<std::int64_t>(kMinFileBytes / 4, file_bytes / kMaxMarks);
}

std::shared_ptr<const LineIndex> LineIndexCache::find(const struct stat& st) {
  const std::lock_guard lock(mutex_);
  const auto known = std::ranges::find_if(entries_, [&](const Entry& entry) { return is_same_file(entry.stat, st); });
  if (known == entries_.end() || !is_untouched(known->stat, st)) return std::make_shared<const LineIndex>();
  entries_.splice(entries_.begin(), entries_, known);
  return known->index;
}

void LineIndexCache::store(const struct stat& st, std::shared_ptr<const LineIndex> index) {
  const std::lock_guard lock(mutex_);
  std::erase_if(entries_, [&](const Entry& entry) { return is_same_file(entry.stat, st); });
  entries_.push_front({st, std::move(index)});
  if (entries_.size() > kMaxFiles) entries_.pop_back();
}

}  // namespace berth::engine
