#include "workspace/patch/patch_errors.h"

namespace berth {

std::string_view to_string(PatchReason reason) noexcept {
  switch (reason) {
    case PatchReason::malformed: return "malformed";
    case PatchReason::wrong_counts: return "wrong_counts";
    case PatchReason::no_prefix: return "no_prefix";
    case PatchReason::names_differ: return "names_differ";
    case PatchReason::bad_name: return "bad_name";
    case PatchReason::escapes: return "escapes";
    case PatchReason::git_directory: return "git_directory";
    case PatchReason::symlink: return "symlink";
    case PatchReason::submodule: return "submodule";
    case PatchReason::bad_mode: return "bad_mode";
    case PatchReason::binary: return "binary";
    case PatchReason::duplicate_target: return "duplicate_target";
    case PatchReason::no_context: return "no_context";
    case PatchReason::not_found: return "not_found";
    case PatchReason::ambiguous_place: return "ambiguous_place";
    case PatchReason::already_applied: return "already_applied";
    case PatchReason::missing_file: return "missing_file";
    case PatchReason::file_exists: return "file_exists";
    case PatchReason::not_a_file: return "not_a_file";
    case PatchReason::in_the_way: return "in_the_way";
    case PatchReason::beyond_link: return "beyond_link";
    case PatchReason::file_remains: return "file_remains";
    case PatchReason::too_large: return "too_large";
  }
  return "malformed";
}

Error patch_rejected(PatchReason reason, std::string message) {
  return make_error(ErrorCode::patch_rejected, std::move(message)).with("reason", std::string(to_string(reason)));
}

Error patch_rejected_at(PatchReason reason, std::string message, std::size_t line_index) {
  const auto line = static_cast<std::int64_t>(line_index) + 1;
  return patch_rejected(reason, "line " + std::to_string(line) + " of the patch: " + std::move(message))
      .with("patch_line", line);
}

}  // namespace berth
