#include "workspace/git/diff_records.h"

#include <utility>

#include "workspace/git/record_fields.h"

namespace berth::git {
namespace {

Error wrong_format() { return make_error(ErrorCode::protocol, "git diff-tree printed something else than its format"); }

// ":oldmode newmode oldobject newobject status\0path\0[path\0]"
bool take_raw(BytesView& rest, DiffRecord& record) {
  rest.remove_prefix(1);
  auto facts = take_field(rest, '\0');
  if (!facts) return false;
  const auto old_mode = take_field(*facts, ' ');
  const auto new_mode = take_field(*facts, ' ');
  if (!old_mode || !new_mode || !take_field(*facts, ' ') || !take_field(*facts, ' ') || facts->empty()) return false;
  const auto old_bits = try_mode(*old_mode);
  const auto new_bits = try_mode(*new_mode);
  if (!old_bits || !new_bits) return false;
  record.old_mode = *old_bits;
  record.new_mode = *new_bits;
  record.status = facts->front();
  const auto first = take_field(rest, '\0');
  if (!first) return false;
  record.path = Bytes(*first);
  if (record.status == 'R') {
    const auto second = take_field(rest, '\0');
    if (!second) return false;
    record.from = std::exchange(record.path, Bytes(*second));
  }
  return true;
}

// "added\tremoved\tpath\0" or "added\tremoved\t\0from\0to\0"; in the order of the raw records, leaving none out.
bool take_numstat(BytesView& rest, DiffRecord& record) {
  const auto added = take_field(rest, '\t');
  const auto removed = take_field(rest, '\t');
  auto path = take_field(rest, '\0');
  if (!added || !removed || !path) return false;
  if (path->empty()) {
    if (!take_field(rest, '\0')) return false;
    path = take_field(rest, '\0');
    if (!path) return false;
  }
  if (*path != record.path) return false;
  if (*added == "-") return true;
  record.added = try_number<std::int64_t>(*added, 10);
  record.removed = try_number<std::int64_t>(*removed, 10);
  return record.added && record.removed;
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
