#include "values.h"

namespace berth::python {
namespace {

Shape baseline_shape("Baseline", {"kind", "commit"});
Shape change_shape("FileChange",
                   {"change", "path", "from_path", "old_mode", "new_mode", "added_lines", "removed_lines"});
Shape not_shown_shape("NotShown", {"path", "why"});
Shape diff_shape("Diff", {"text", "truncated", "files", "left_out", "not_shown"});
Shape status_shape("StatusEntry", {"path", "change", "untracked"});
Shape skipped_shape("SkippedPath", {"path", "why"});
Shape stage_shape("StageOutcome", {"staged", "skipped"});

const char* name(git::Baseline::Kind kind) {
  using enum git::Baseline::Kind;
  switch (kind) {
    case commit: return "commit";
    case no_commit: return "no_commit";
    case no_repository: break;
  }
  return "no_repository";
}

const char* name(git::StageOutcome::Skipped::Why why) {
  using enum git::StageOutcome::Skipped::Why;
  switch (why) {
    case missing: return "missing";
    case ignored: return "ignored";
    case nested_repository: return "nested_repository";
    case special_file: return "special_file";
    case too_large: return "too_large";
    case unreadable: break;
  }
  return "unreadable";
}

nb::object change_of(const git::FileChange& file) {
  return change_shape.make(text_of(git::change_name(file.change)), to_python(file.path), maybe(file.from),
                           to_python(std::int64_t{file.old_mode}), to_python(std::int64_t{file.new_mode}),
                           maybe(file.added_lines), maybe(file.removed_lines));
}

nb::object not_shown_of(const git::NotShown& one) {
  return not_shown_shape.make(to_python(one.path), text_of(git::why_name(one.why)));
}

}  // namespace

nb::object to_python(const git::Baseline& baseline) {
  return baseline_shape.make(name_of(name(baseline.kind)), text_of(baseline.commit));
}

nb::object to_python(const git::Diff& diff) {
  return diff_shape.make(bytes_of(diff.text), to_python(diff.truncated), tuple_of(diff.files, change_of),
                         to_python(diff.left_out), tuple_of(diff.not_shown, not_shown_of));
}

nb::object to_python(const std::vector<git::StatusEntry>& entries) {
  return tuple_of(entries, [](const git::StatusEntry& entry) {
    return status_shape.make(to_python(entry.path), text_of(git::change_name(entry.change)),
                             to_python(entry.untracked));
  });
}

nb::object to_python(const git::StageOutcome& outcome) {
  return stage_shape.make(to_python(outcome.staged), tuple_of(outcome.skipped, [](const auto& one) {
                            return skipped_shape.make(to_python(one.path), name_of(name(one.why)));
                          }));
}

}  // namespace berth::python
