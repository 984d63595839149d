#pragma once

#include <string_view>

#include "base/error.h"

namespace berth {

/// Whether a failure says something about the path of the call, not only about the call or the environment.
bool is_about_a_path(ErrorCode code) noexcept;

/// Name the path of a failed call as the caller wrote it, over what a backend may have named. Errors that are about no
/// path name none.
void name_path(Error& error, std::string_view as_written);

/// As `name_path` for a call with two paths: the destination when the error's field `destination` is "true".
void name_path(Error& error, std::string_view from, std::string_view to);

}  // namespace berth
