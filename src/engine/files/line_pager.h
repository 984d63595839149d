#pragma once

#include <cstdint>

#include "base/result.h"
#include "contract/files.h"

namespace berth::engine {

/// Cuts a page of lines out of a file's bytes as they stream by (C-READ-6). Lines end with LF only; a last line
/// without one counts too. Memory: the page. One thread at a time.
class LinePager {
 public:
  /// A line start that is already known: `line` begins at byte `offset`.
  struct Start {
    std::int64_t line = 1;
    std::int64_t offset = 0;
  };

  /// `range` is valid and `start.line <= range.first`.
  LinePager(const LineRange& range, Start start);

  /// Take the next bytes of the file, from `start.offset` on without a gap. Bytes after `done` are ignored.
  void feed(BytesView bytes);

  /// Whether nothing that follows can change the page.
  bool done() const noexcept { return phase_ == Phase::done; }

  /// The line that the next byte belongs to and where it begins, for an index of lines.
  Start line_in_progress() const noexcept { return {line_, line_offset_}; }

  /// Close the page of a file that has `total_bytes`, all of which were fed unless `done`. A first line past the end is
  /// `offset_out_of_range` with `first` and `total_lines`.
  Result<LinePage> finish(std::int64_t total_bytes);

 private:
  enum class Phase {
    skip,   ///< before the first line wanted
    take,   ///< inside the page
    cut,    ///< behind the part of an overlong line that was taken
    count,  ///< behind the page, counting
    done
  };

  void skip(BytesView& bytes);
  void take(BytesView& bytes);
  void cut(BytesView& bytes);
  void count(BytesView& bytes);
  void consume(BytesView& bytes, std::size_t length);
  void begin_page();
  void close_page();

  LineRange range_;
  Phase phase_;
  std::int64_t offset_;           ///< of the next byte fed
  std::int64_t line_;             ///< the line that byte belongs to
  std::int64_t line_offset_;      ///< where that line begins
  std::size_t line_in_page_ = 0;  ///< where it begins in the content
  std::int64_t page_end_ = 0;     ///< offset behind the page, when it is closed
  LinePage page_;
};

}  // namespace berth::engine
