#include "workspace/path_errors.h"

namespace berth {

bool is_about_a_path(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::timed_out:
    case ErrorCode::cancelled:
    case ErrorCode::unsupported:
    case ErrorCode::unavailable:
    case ErrorCode::environment_gone:
    case ErrorCode::foreign_ref:
    case ErrorCode::unauthenticated:
    case ErrorCode::rate_limited:
    case ErrorCode::protocol:
    case ErrorCode::internal: return false;
    default: return true;
  }
}

void name_path(Error& error, std::string_view as_written) {
  if (is_about_a_path(error.code)) {
    error.path = as_written;
  } else {
    error.path.clear();
  }
}

void name_path(Error& error, std::string_view from, std::string_view to) {
  const auto* destination = error.field("destination");
  const auto* text = destination == nullptr ? nullptr : std::get_if<std::string>(destination);
  name_path(error, text != nullptr && *text == "true" ? to : from);
}

}  // namespace berth
