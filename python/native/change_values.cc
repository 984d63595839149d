#include "raise.h"
#include "values.h"

namespace berth::python {
namespace {

Shape diff_shape("BoundedDiff", {"text", "truncated"});
Shape edit_shape("EditOutcome", {"counts", "previous_revision", "revision", "diff"});
Shape patched_shape("PatchedFile", {"what", "path", "from_path", "previous_revision", "revision", "git_mode", "diff"});
Shape patch_shape("PatchOutcome", {"applied", "files"});
Shape operation_shape("OperationOutcome", {"state", "error", "previous_revision", "revision", "changed", "created"});
Shape transaction_shape("TransactionOutcome", {"state", "operations"});

const char* name(PatchedFile::What what) {
  using enum PatchedFile::What;
  switch (what) {
    case created: return "created";
    case modified: return "modified";
    case deleted: return "deleted";
    case moved: return "moved";
    case copied: break;
  }
  return "copied";
}

const char* name(OperationOutcome::State state) {
  using enum OperationOutcome::State;
  switch (state) {
    case applied: return "applied";
    case not_started: return "not_started";
    case failed: return "failed";
    case rolled_back: return "rolled_back";
    case unknown: break;
  }
  return "unknown";
}

const char* name(TransactionOutcome::State state) {
  using enum TransactionOutcome::State;
  switch (state) {
    case applied: return "applied";
    case precondition_failed: return "precondition_failed";
    case rolled_back: return "rolled_back";
    case ambiguous: break;
  }
  return "ambiguous";
}

nb::object patched_of(const PatchedFile& file) {
  return patched_shape.make(name_of(name(file.what)), to_python(file.path), maybe(file.from),
                            maybe(file.previous_revision), maybe(file.revision), maybe(file.git_mode),
                            to_python(file.diff));
}

nb::object operation_of(const OperationOutcome& outcome) {
  return operation_shape.make(name_of(name(outcome.state)), outcome.error ? exception_of(*outcome.error) : none(),
                              maybe(outcome.previous_revision), maybe(outcome.revision), to_python(outcome.changed),
                              to_python(outcome.created));
}

}  // namespace

nb::object to_python(const BoundedDiff& diff) {
  return diff_shape.make(bytes_of(diff.text), to_python(diff.truncated));
}

nb::object to_python(const EditOutcome& outcome) {
  return edit_shape.make(tuple_of(outcome.counts, [](std::int64_t count) { return to_python(count); }),
                         to_python(outcome.previous_revision), to_python(outcome.revision), to_python(outcome.diff));
}

nb::object to_python(const PatchOutcome& outcome) {
  return patch_shape.make(to_python(outcome.applied), tuple_of(outcome.files, patched_of));
}

nb::object to_python(const TransactionOutcome& outcome) {
  return transaction_shape.make(name_of(name(outcome.state)), tuple_of(outcome.operations, operation_of));
}

}  // namespace berth::python
