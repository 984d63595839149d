#include "tools/make_tool.h"

#include "tools/text.h"

namespace berth::tools {

ToolResult::Outcome outcome_of(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::not_found:
    case ErrorCode::already_exists:
    case ErrorCode::not_a_directory:
    case ErrorCode::is_a_directory:
    case ErrorCode::not_regular:
    case ErrorCode::not_empty:
    case ErrorCode::name_too_long:
    case ErrorCode::symlink_loop:
    case ErrorCode::path_escape:
    case ErrorCode::invalid_argument:
    case ErrorCode::offset_out_of_range:
    case ErrorCode::revision_mismatch:
    case ErrorCode::mode_mismatch:
    case ErrorCode::changed_during_read:
    case ErrorCode::empty_anchor:
    case ErrorCode::match_not_found:
    case ErrorCode::ambiguous_match:
    case ErrorCode::patch_rejected:
    case ErrorCode::too_large: return ToolResult::Outcome::retry;
    case ErrorCode::permission_denied:
    case ErrorCode::policy_denied:
    case ErrorCode::approval_required:
    case ErrorCode::read_only:
    case ErrorCode::ambiguous:
    case ErrorCode::dirty_workspace:
    case ErrorCode::output_limited:
    case ErrorCode::timed_out:
    case ErrorCode::cancelled:
    case ErrorCode::unsupported:
    case ErrorCode::unavailable:
    case ErrorCode::environment_gone:
    case ErrorCode::foreign_ref:
    case ErrorCode::unauthenticated:
    case ErrorCode::conflict:
    case ErrorCode::rate_limited:
    case ErrorCode::no_space:
    case ErrorCode::protocol:
    case ErrorCode::io:
    case ErrorCode::internal: return ToolResult::Outcome::failed;
  }
  return ToolResult::Outcome::failed;
}

ToolResult failed_result(const Error& error) {
  return {.outcome = outcome_of(error.code),
          .text = error_text(error),
          .structured = {{"error", to_json(error)}},
          .media = {}};
}

}  // namespace berth::tools
