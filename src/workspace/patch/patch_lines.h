#pragma once

#include <vector>

#include "base/bytes.h"

namespace berth {

/// Split after each LF. The views are of `text`; only the last line may lack the LF.
inline std::vector<BytesView> split_lines_keeping_ends(BytesView text) {
  std::vector<BytesView> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const auto length = end == BytesView::npos ? text.size() : end + 1;
    lines.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

/// A line without its LF or CRLF.
inline BytesView without_ending(BytesView line) noexcept {
  if (!line.ends_with('\n')) return line;
  line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// The ending of a line: CRLF, LF, or nothing.
inline BytesView ending_of(BytesView line) noexcept { return line.substr(without_ending(line).size()); }

}  // namespace berth
