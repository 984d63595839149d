#pragma once

#include <utility>

#include "os/root.h"

namespace berth::os {

/// What every call on a deleted root answers.
inline Error root_gone() { return make_error(ErrorCode::environment_gone, "the workspace's directory was deleted"); }

/// The result of a call on a root. Nothing exists below a deleted one, so that something is missing says nothing by
/// itself: then it is `environment_gone`.
template <typename T>
Result<T> or_gone(const Root& root, Result<T> result) {
  if (!result && result.error().code == ErrorCode::not_found && root.gone()) return root_gone();
  return result;
}

}  // namespace berth::os
