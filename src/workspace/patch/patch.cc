#include "workspace/patch/patch.h"

#include <set>
#include <string_view>

#include "base/limits.h"
#include "workspace/patch/begin_patch_parser.h"
#include "workspace/patch/patch_errors.h"
#include "workspace/patch/unified_parser.h"

namespace berth {
namespace {

using Kind = PatchOperation::Kind;

Error duplicate(const Path& path) {
  return patch_rejected(PatchReason::duplicate_target, "two parts of the patch mean this file").at(path.text());
}

/// A path that stands after the patch with another one that needs it as a directory.
const Path* file_above(const std::set<Path>& present, const Path& path) {
  for (Path above = path.parent(); !above.is_root(); above = above.parent()) {
    if (const auto found = present.find(above); found != present.end()) return &*found;
  }
  return nullptr;
}

}  // namespace

PatchForm form_of(BytesView text) noexcept {
  const auto first = text.find_first_not_of(" \t\r\n");
  const bool begins = first != BytesView::npos && text.substr(first).starts_with("*** Begin Patch");
  return begins ? PatchForm::begin_patch : PatchForm::unified;
}

Result<Patch> parse_patch(BytesView text, PatchForm form) {
  if (text.size() > limits::kPatchBytes) {
    return make_error(ErrorCode::too_large, "the patch is longer than a patch may be")
        .with("limit", "patch_bytes")
        .with("max_bytes", static_cast<std::int64_t>(limits::kPatchBytes));
  }
  return form == PatchForm::unified ? parse_unified_diff(text) : parse_begin_patch(text);
}

Result<void> check_operations(const Patch& patch) {
  if (patch.operations.empty()) return patch_rejected(PatchReason::malformed, "the patch has no operation");
  if (patch.operations.size() > static_cast<std::size_t>(limits::kPatchFiles)) {
    return make_error(ErrorCode::too_large, "the patch changes more files than one patch may")
        .with("limit", "patch_files")
        .with("max_files", limits::kPatchFiles);
  }
  std::set<Path> made;
  std::set<Path> gone;
  for (const auto& operation : patch.operations) {
    const bool removes = operation.kind == Kind::remove || operation.kind == Kind::move;
    if (removes && !gone.insert(operation.path).second) return duplicate(operation.path);
    if (operation.kind != Kind::remove && !made.insert(operation.target()).second) return duplicate(operation.target());
  }
  for (const auto& operation : patch.operations) {
    if (operation.kind == Kind::update && gone.contains(operation.path)) return duplicate(operation.path);
    if (const Path* above = file_above(made, operation.target()); above != nullptr && operation.kind != Kind::remove) {
      return patch_rejected(PatchReason::in_the_way, "the patch makes a file where this one needs a directory")
          .at(operation.target().text());
    }
  }
  return {};
}

}  // namespace berth
