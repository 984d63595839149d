#include "workspace/git/status_records.h"

#include <utility>

#include "workspace/git/record_fields.h"

namespace berth::git {
namespace {

Error wrong_format() { return make_error(ErrorCode::protocol, "git status printed something else than its format"); }

}  // namespace

Result<std::vector<StatusRecord>> parse_status(BytesView output) {
  std::vector<StatusRecord> records;
  while (!output.empty()) {
    auto line = take_field(output, '\0');
    if (!line || line->size() < 3 || (*line)[1] != ' ') return wrong_format();
    const char kind = line->front();
    line->remove_prefix(2);
    if (kind == '#' || kind == '!') continue;
    StatusRecord record;
    if (kind == '?') {
      record.staged = record.unstaged = '?';
      if (line->ends_with('/')) {
        record.nested_repository = true;
        line->remove_suffix(1);
      }
      record.path = Bytes(*line);
      records.push_back(std::move(record));
      continue;
    }
    // 1 XY sub mH mI mW hH hI path; u XY sub m1 m2 m3 mW h1 h2 h3 path
    if (kind != '1' && kind != 'u') return wrong_format();
    record.unmerged = kind == 'u';
    std::vector<BytesView> fields;
    for (int field = 0; field < (kind == '1' ? 7 : 9); ++field) {
      const auto text = take_field(*line, ' ');
      if (!text) return wrong_format();
      fields.push_back(*text);
    }
    if (fields[0].size() != 2 || line->empty()) return wrong_format();
    record.staged = fields[0][0];
    record.unstaged = fields[0][1];
    record.path = Bytes(*line);
    if (kind == '1') {
      const auto mode = try_mode(fields[2]);
      if (!mode) return wrong_format();
      record.baseline.mode = *mode;
      if (*mode != 0) record.baseline.object = std::string(fields[5]);
    }
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace berth::git
