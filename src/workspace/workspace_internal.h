#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "workspace/backend.h"
#include "workspace/path_errors.h"

/// What the façade's source files share.
namespace berth {

/// The capability, or `unsupported` when the backend does not offer it. `doing` is a noun phrase ("reading files").
template <typename Capability>
Result<Capability*> offered(Capability* capability, std::string_view doing) {
  if (capability != nullptr) return capability;
  return make_error(ErrorCode::unsupported, std::string(doing) + " is not offered by this workspace");
}

/// As `offered` for what changes the environment: `read_only` when the workspace only reads.
template <typename Capability>
Result<Capability*> offered_to_change(Capability* capability, const BackendInfo& info, std::string_view doing) {
  if (capability == nullptr && info.access == Access::read_only) {
    return make_error(ErrorCode::read_only, std::string(doing) + " is refused: this workspace only reads");
  }
  return offered(capability, doing);
}

/// Name the path of a failed walk, search or command; an argument that is wrong there is the pattern or a number, not
/// the path.
inline void name_search_path(Error& error, std::string_view as_written) {
  if (error.code == ErrorCode::invalid_argument) return;
  name_path(error, as_written);
}

}  // namespace berth
