#include "engine/tree/file_search.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "search/trial.h"

namespace berth::engine {
namespace {

constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();

/// The begin of the line `lines` before the one that begins at `at`, at most down to `least`.
std::size_t lines_back(BytesView bytes, std::size_t at, std::int64_t lines, std::size_t least) noexcept {
  for (; lines > 0 && at > least; --lines) {
    const void* lf = at - least < 2 ? nullptr : memrchr(bytes.data() + least, '\n', at - least - 1);
    at = lf == nullptr ? least : static_cast<std::size_t>(static_cast<const char*>(lf) - bytes.data()) + 1;
  }
  return at;
}

}  // namespace

/// How far a file was read and searched.
struct FileSearcher::Position {
  std::size_t filled = 0;    ///< bytes in the buffer
  std::size_t searched = 0;  ///< of them, those before this were searched and are there for context
  std::int64_t lines = 0;    ///< line ends before `searched`
  std::size_t in_line = 0;   ///< bytes of the line around `searched` that come before it
  bool at_eof = false;
};

std::int64_t text_bytes(const SearchMatch& match) noexcept {
  std::size_t bytes = match.text.size();
  for (const auto& line : match.before) bytes += line.size();
  for (const auto& line : match.after) bytes += line.size();
  return static_cast<std::int64_t>(bytes);
}

FileSearcher::FileSearcher(const search::Matcher& matcher, const SearchQuery& query)
    : matcher_(matcher),
      query_(query),
      max_buffer_(query.multiline ? kMaxMultilineBuffer : kMaxBuffer),
      max_records_(query.limit && *query.limit < kAll - query.offset - 1 ? query.offset + *query.limit + 1 : kAll),
      buffer_(new char[kPiece]),
      capacity_(kPiece) {}

FileFindings FileSearcher::search(const Call& call, const os::Fd& file, const FilePlace& place) {
  FileFindings findings;
  text_bytes_ = 0;
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    findings.outcome = FileFindings::Outcome::passed_over;
    return findings;
  }
  Position at;
  bool first = true;
  while (fill(file, static_cast<std::size_t>(status.st_size), at, findings)) {
    if (first && search::is_binary({buffer_.get(), at.filled})) {
      findings.outcome = FileFindings::Outcome::binary;
      return findings;
    }
    first = false;
    const std::size_t end = searchable_end(at);
    while (at.searched < end) {
      const std::size_t step = step_end(end, at);
      const BytesView piece(buffer_.get() + at.searched, step - at.searched);
      if (auto lasts = search::try_out(call, matcher_, piece); !lasts) {
        findings.ended = std::move(lasts).error();
        return findings;
      }
      if (!search_region(step, at, place, findings)) return findings;
      advance(step, at);
      if (at.searched == end && at.at_eof) return findings;
      if (auto going_on = call.check(); !going_on) {
        findings.ended = std::move(going_on).error();
        return findings;
      }
    }
    if (at.at_eof) break;
    carry_over(at);
    if (auto going_on = call.check(); !going_on) {
      findings.ended = std::move(going_on).error();
      break;
    }
  }
  return findings;
}

/// Read more. False when the file cannot be read.
bool FileSearcher::fill(const os::Fd& file, std::size_t expected, Position& at, FileFindings& findings) {
  if (at.filled == capacity_) {
    const std::size_t larger = std::min(capacity_ * 2, max_buffer_);
    std::unique_ptr<char[]> grown(new char[larger]);
    std::memcpy(grown.get(), buffer_.get(), at.filled);
    buffer_ = std::move(grown);
    capacity_ = larger;
  }
  // One byte more than the file has shows its end in the same call.
  const auto left =
      static_cast<std::size_t>(std::max<std::int64_t>(0, static_cast<std::int64_t>(expected) - findings.bytes));
  const std::size_t most = std::min(at.filled + kPiece, capacity_);
  std::size_t wanted = std::min(most - at.filled, left + 1);
  while (wanted > 0) {
    const auto got = ::read(file.get(), buffer_.get() + at.filled, wanted);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      findings.outcome = FileFindings::Outcome::unreadable;
      findings.code = errno_error(errno, "read the file").code;
      return false;
    }
    at.filled += static_cast<std::size_t>(got);
    findings.bytes += got;
    // A regular file gives less than asked only at its end.
    at.at_eof = static_cast<std::size_t>(got) < wanted;
    if (at.at_eof) break;
    wanted = most - at.filled;
  }
  return true;
}

/// How far the buffer can be searched now: whole lines, with the context that follows them.
std::size_t FileSearcher::searchable_end(const Position& at) const {
  if (at.at_eof) return at.filled;
  const BytesView bytes(buffer_.get(), at.filled);
  const bool full = at.filled == max_buffer_;
  if (query_.multiline && !full) return at.searched;
  const auto last_lf = bytes.rfind('\n');
  if (last_lf == BytesView::npos || last_lf < at.searched) return full ? at.filled : at.searched;
  const std::size_t lines_end = last_lf + 1;
  const std::size_t with_context = lines_back(bytes, lines_end, query_.context, at.searched);
  return with_context == at.searched && full ? lines_end : with_context;
}

/// How far to search before the call is looked at again: whole lines, as some patterns take microseconds a byte.
std::size_t FileSearcher::step_end(std::size_t end, const Position& at) const {
  if (query_.multiline || end - at.searched <= search::kStepBytes) return end;
  const BytesView ahead(buffer_.get() + at.searched, end - at.searched);
  auto lf = ahead.rfind('\n', search::kStepBytes - 1);
  if (lf == BytesView::npos) lf = ahead.find('\n', search::kStepBytes);
  return lf == BytesView::npos ? end : at.searched + lf + 1;
}

/// Search up to `end`. False when nothing more is wanted of this file.
bool FileSearcher::search_region(std::size_t end, const Position& at, const FilePlace& place, FileFindings& findings) {
  const BytesView region(buffer_.get() + at.searched, end - at.searched);
  if (query_.mode == SearchQuery::Mode::count) {
    findings.matches += matcher_.count_lines(region);
    return true;
  }
  if (query_.mode == SearchQuery::Mode::files) {
    findings.matches = matcher_.matches(region) ? 1 : 0;
    return findings.matches == 0;
  }
  hits_.clear();
  matcher_.find_lines(region, max_records_ - findings.matches, hits_);
  if (hits_.empty()) return true;
  const Path path = place.path();
  for (auto& hit : hits_) {
    if (hit.line == 1) hit.column += static_cast<std::int64_t>(at.in_line);
    hit.line += at.lines;
    hit.begin += at.searched;
    hit.end += at.searched;
    findings.lines.push_back(search::make_match(path, {buffer_.get(), at.filled}, hit, query_.context));
    ++findings.matches;
    // Records that are skipped take no room in the result, and the first one always has room.
    if (findings.matches > query_.offset) text_bytes_ += text_bytes(findings.lines.back());
    if (text_bytes_ > query_.max_bytes && findings.matches > query_.offset + 1) return false;
  }
  return findings.matches < max_records_;
}

/// Count what was searched up to `end`.
void FileSearcher::advance(std::size_t end, Position& at) const {
  const BytesView done(buffer_.get() + at.searched, end - at.searched);
  at.lines += std::count(done.begin(), done.end(), '\n');
  const auto lf = done.rfind('\n');
  at.in_line = lf == BytesView::npos ? at.in_line + done.size() : done.size() - lf - 1;
  at.searched = end;
}

/// Keep what was not searched yet, and the context before it.
void FileSearcher::carry_over(Position& at) {
  const BytesView bytes(buffer_.get(), at.filled);
  const std::size_t end = at.searched;
  const std::size_t least = end > max_buffer_ / 2 ? end - max_buffer_ / 2 : 0;
  const std::size_t from = std::max(lines_back(bytes, end, query_.context, 0), least);
  std::memmove(buffer_.get(), buffer_.get() + from, at.filled - from);
  at.filled -= from;
  at.searched = end - from;
}

}  // namespace berth::engine
