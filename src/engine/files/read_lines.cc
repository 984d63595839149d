#include "engine/files/read_lines.h"

#include <algorithm>
#include <cerrno>
#include <memory>

#include "engine/files/file_stat.h"
#include "engine/files/open_file.h"
#include "engine/files/read_bytes.h"
#include "engine/files/settled.h"
#include "engine/files/steady_read.h"

namespace berth::engine {
namespace {

constexpr std::size_t kFirstPieceBytes = 16 * 1024;
constexpr std::size_t kPieceBytes = 256 * 1024;

Result<void> require_valid(const LineRange& range) {
  if (range.first < 1) return make_error(ErrorCode::invalid_argument, "the first line must be 1 or more");
  if (range.count && *range.count <= 0) {
    return make_error(ErrorCode::invalid_argument, "the number of lines must be greater than 0");
  }
  if (range.max_bytes <= 0) return make_error(ErrorCode::invalid_argument, "max_bytes must be greater than 0");
  return {};
}

/// The index of a file, as far as a scan may trust it and add to it.
class IndexedScan {
 public:
  IndexedScan(LineIndexCache& cache, const struct stat& st)
      : cache_(cache), stat_(st), distance_(LineIndexCache::mark_distance(st.st_size)) {
    if (st.st_size < LineIndexCache::kMinFileBytes || !is_settled(st, file_clock_now())) return;
    known_ = cache_.find(st);
    grown_ = *known_;
  }

  LinePager::Start start(std::int64_t line) const { return grown_.mark_before(line); }
  std::optional<std::int64_t> total_lines() const { return grown_.total_lines; }
  void mark(LinePager::Start mark) {
    if (known_ != nullptr) grown_.add(mark, distance_);
  }
  void keep(std::optional<std::int64_t> total_lines) {
    if (known_ == nullptr) return;
    if (total_lines) grown_.total_lines = total_lines;
    if (grown_.marks.size() == known_->marks.size() && grown_.total_lines == known_->total_lines) return;
    cache_.store(stat_, std::make_shared<const LineIndex>(std::move(grown_)));
  }

 private:
  LineIndexCache& cache_;
  struct stat stat_;
  std::int64_t distance_;
  std::shared_ptr<const LineIndex> known_;  ///< null: this file is not indexed
  LineIndex grown_;
};

/// One attempt over a file of known size. `file.stat` is moved on to what the file is afterwards.
Result<Attempt> try_read(const Call& call, LineIndexCache& cache, OpenFile& file, LineRange range,
                         Result<LinePage>& page) {
  const bool settled = is_settled(file.stat, file_clock_now());
  const struct stat before = file.stat;
  IndexedScan scan(cache, before);
  const std::optional<std::int64_t> counted = scan.total_lines();
  if (counted) range.count_lines = false;

  const LinePager::Start start = scan.start(range.first);
  LinePager pager(range, start);
  const auto buffer = std::make_unique_for_overwrite<char[]>(
      static_cast<std::size_t>(std::min<std::int64_t>(kPieceBytes, before.st_size)));
  std::size_t piece = kFirstPieceBytes;
  std::int64_t offset = start.offset;
  while (!pager.done() && offset < before.st_size) {
    if (offset > start.offset) BERTH_CHECK(call.check());
    const std::size_t wanted = std::min(piece, static_cast<std::size_t>(before.st_size - offset));
    BERTH_TRY(const std::size_t got, read_at(file.fd.get(), offset, buffer.get(), wanted));
    pager.feed({buffer.get(), got});
    scan.mark(pager.line_in_progress());
    offset += static_cast<std::int64_t>(got);
    if (got < wanted) break;
    piece = kPieceBytes;
  }
  const bool ended_early = !pager.done() && offset < before.st_size;

  page = pager.finish(before.st_size);
  if (!settled && page && !ended_early) {
    BERTH_TRY(const bool same, holds_bytes(call, file.fd.get(), page->first_offset, page->content));
    if (!same) return Attempt::changed;
  }
  if (!look_at_open(file.fd.get(), file.stat)) return errno_error(errno, "look at the file");
  if (!is_untouched(before, file.stat)) return Attempt::changed;
  if (ended_early) return Attempt::ended_early;
  if (page) {
    if (!page->total_lines) page->total_lines = counted;
    page->token = change_token_of(before);
    scan.keep(page->total_lines);
  }
  return Attempt::done;
}

/// A page of a file that has more or fewer bytes than its size says.
Result<LinePage> read_unsized(const Call& call, const OpenFile& file, const LineRange& range) {
  BERTH_TRY(const Bytes content, read_to_end(call, file.fd.get()));
  LinePager pager(range, {});
  pager.feed(content);
  BERTH_TRY(LinePage page, pager.finish(static_cast<std::int64_t>(content.size())));
  page.token = change_token_of(file.stat);
  return page;
}

}  // namespace

Result<LinePage> read_lines(const Call& call, const os::Root& root, LineIndexCache& cache, const Path& path,
                            const LineRange& range) {
  BERTH_CHECK(require_valid(range));
  BERTH_CHECK(call.check());
  BERTH_TRY(OpenFile file, open_regular(call, root, path));
  return read_steadily<LinePage>(
      call, std::move(file),
      [&](OpenFile& open, Result<LinePage>& page) { return try_read(call, cache, open, range, page); },
      [&](const OpenFile& open) { return read_unsized(call, open, range); });
}

}  // namespace berth::engine
