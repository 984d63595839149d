#include "engine/files/line_pager.h"

#include <algorithm>
#include <cstring>

#include "engine/files/count_newlines.h"

namespace berth::engine {
namespace {

std::size_t length_through_newline(BytesView bytes) noexcept {
  const void* newline = std::memchr(bytes.data(), '\n', bytes.size());
  if (newline == nullptr) return 0;
  return static_cast<std::size_t>(static_cast<const char*>(newline) - bytes.data()) + 1;
}

}  // namespace

LinePager::LinePager(const LineRange& range, Start start)
    : range_(range), phase_(Phase::skip), offset_(start.offset), line_(start.line), line_offset_(start.offset) {
  if (line_ == range_.first) begin_page();
}

void LinePager::feed(BytesView bytes) {
  while (!bytes.empty() && phase_ != Phase::done) {
    switch (phase_) {
      case Phase::skip: skip(bytes); break;
      case Phase::take: take(bytes); break;
      case Phase::cut: cut(bytes); break;
      case Phase::count: count(bytes); break;
      case Phase::done: break;
    }
  }
}

void LinePager::consume(BytesView& bytes, std::size_t length) {
  bytes.remove_prefix(length);
  offset_ += static_cast<std::int64_t>(length);
}

void LinePager::begin_page() {
  phase_ = Phase::take;
  page_.first_line = line_;
  page_.first_offset = line_offset_;
}

void LinePager::close_page() {
  page_end_ = line_offset_;
  page_.next_line = line_;
  phase_ = range_.count_lines ? Phase::count : Phase::done;
}

void LinePager::skip(BytesView& bytes) {
  // Most pieces are skipped whole, and counting is several times faster than finding each newline.
  if (line_ + static_cast<std::int64_t>(count_newlines(bytes)) < range_.first) return count(bytes);
  while (line_ < range_.first) {
    consume(bytes, length_through_newline(bytes));
    ++line_;
    line_offset_ = offset_;
  }
  begin_page();
}

void LinePager::take(BytesView& bytes) {
  const std::size_t whole = length_through_newline(bytes);
  const std::size_t length = whole > 0 ? whole : bytes.size();
  const std::size_t room = static_cast<std::size_t>(range_.max_bytes) - page_.content.size();
  if (length > room && page_.line_count > 0) {
    page_.content.resize(line_in_page_);
    return close_page();
  }
  if (length > room) {
    page_.content.append(bytes.substr(0, room));
    page_.line_count = 1;
    page_.line_cut = true;
    phase_ = Phase::cut;
    return consume(bytes, room);
  }
  page_.content.append(bytes.substr(0, length));
  consume(bytes, length);
  if (whole == 0) return;
  ++line_;
  line_offset_ = offset_;
  line_in_page_ = page_.content.size();
  ++page_.line_count;
  if (page_.line_count == range_.count) close_page();
}

void LinePager::cut(BytesView& bytes) {
  const std::size_t whole = length_through_newline(bytes);
  consume(bytes, whole > 0 ? whole : bytes.size());
  if (whole == 0) return;
  ++line_;
  line_offset_ = offset_;
  close_page();
}

void LinePager::count(BytesView& bytes) {
  line_ += static_cast<std::int64_t>(count_newlines(bytes));
  if (const std::size_t last = bytes.rfind('\n'); last != BytesView::npos) {
    line_offset_ = offset_ + static_cast<std::int64_t>(last) + 1;
  }
  consume(bytes, bytes.size());
}

Result<LinePage> LinePager::finish(std::int64_t total_bytes) {
  const bool at_end = offset_ == total_bytes;
  const std::int64_t total_lines = line_offset_ == total_bytes ? line_ - 1 : line_;
  if (at_end && range_.first > std::max<std::int64_t>(total_lines, 1)) {
    return make_error(ErrorCode::offset_out_of_range, "the first line lies behind the end of the file")
        .with("first", range_.first)
        .with("total_lines", total_lines);
  }
  if (phase_ == Phase::take && page_.content.size() > line_in_page_) ++page_.line_count;
  if (at_end) page_.total_lines = total_lines;
  page_.total_bytes = total_bytes;
  page_.truncated = page_.next_line && page_end_ < total_bytes;
  if (!page_.truncated) page_.next_line.reset();
  return std::move(page_);
}

}  // namespace berth::engine
