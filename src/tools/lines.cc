#include "tools/lines.h"

#include <algorithm>

#include "base/hash.h"

namespace berth::tools {

std::int64_t count_lines(BytesView text) {
  const auto ends = std::count(text.begin(), text.end(), '\n');
  return ends + (text.empty() || text.back() == '\n' ? 0 : 1);
}

BytesView take_line(BytesView& rest) {
  const auto end = rest.find('\n');
  const auto line = rest.substr(0, end == BytesView::npos ? rest.size() : end + 1);
  rest.remove_prefix(line.size());
  return line;
}

BytesView without_ending(BytesView line) {
  if (!line.ends_with('\n')) return line;
  line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string line_hash(BytesView line) { return md5_hex(decode_utf8(without_ending(line)).text).substr(0, 2); }

}  // namespace berth::tools
