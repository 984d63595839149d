#include "workspace/git/diff_records.h"

#include <charconv>
#include <utility>

namespace berth::git {
namespace {

Error wrong_format() { return make_error(ErrorCode::protocol, "git diff-tree printed something else than its format"); }

std::optional<BytesView> take(BytesView& rest, char separator) {
  const auto end = rest.find(separator);
  if (end == BytesView::npos) return std::nullopt;
  const auto field = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return field;
}

template <typename Number>
bool read(BytesView text, Number& value, int base) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return problem == std::errc{} && end == text.data() + text.size();
}

// ":oldmode newmode oldobject newobject status\0path\0[path\0]"
bool take_raw(BytesView& rest, DiffRecord& record) {
  rest.remove_prefix(1);
  auto facts = take(rest, '\0');
  if (!facts) return false;
  const auto old_mode = take(*facts, ' ');
  const auto new_mode = take(*facts, ' ');
  if (!old_mode || !new_mode || !take(*facts, ' ') || !take(*facts, ' ') || facts->empty()) return false;
  if (!read(*old_mode, record.old_mode, 8) || !read(*new_mode, record.new_mode, 8)) return false;
  record.status = facts->front();
  const auto first = take(rest, '\0');
  if (!first) return false;
  record.path = Bytes(*first);
  if (record.status == 'R') {
    const auto second = take(rest, '\0');
    if (!second) return false;
    record.from = std::exchange(record.path, Bytes(*second));
  }
  return true;
}

// "added\tremoved\tpath\0" or "added\tremoved\t\0from\0to\0"; in the order of the raw records, leaving none out.
bool take_numstat(BytesView& rest, DiffRecord& record) {
  const auto added = take(rest, '\t');
  const auto removed = take(rest, '\t');
  auto path = take(rest, '\0');
  if (!added || !removed || !path) return false;
  if (path->empty()) {
    if (!take(rest, '\0')) return false;
    path = take(rest, '\0');
    if (!path) return false;
  }
  if (*path != record.path) return false;
  if (*added == "-") return true;
  std::int64_t lines = 0;
  if (!read(*added, lines, 10)) return false;
  record.added = lines;
  if (!read(*removed, lines, 10)) return false;
  record.removed = lines;
  return true;
}

}  // namespace

Result<DiffOutput> parse_diff(Bytes output) {
  DiffOutput diff;
  BytesView rest = output;
  while (rest.starts_with(':')) {
    if (!take_raw(rest, diff.records.emplace_back())) return wrong_format();
  }
  if (rest.empty()) return diff;
  for (auto& record : diff.records) {
    if (rest.empty() || !take_numstat(rest, record)) return wrong_format();
  }
  if (rest.starts_with('\0')) rest.remove_prefix(1);
  diff.patch = output.substr(output.size() - rest.size());
  return diff;
}

}  // namespace berth::git
