#include "policy/path_verdicts.h"

#include <string>
#include <utility>

namespace berth {
namespace {

// The hint of the code would only say the same again.
Error denied(std::string message, std::string policy) {
  auto error = make_error(ErrorCode::policy_denied, std::move(message)).with("policy", std::move(policy));
  error.hint = "work without it, or ask whoever opened the workspace";
  return error;
}

}  // namespace

Result<PathVerdicts> PathVerdicts::compile(const SensitivePolicy& policy) {
  BERTH_TRY(auto deny, SensitiveGlobs::compile(policy.deny, policy.allow));
  BERTH_TRY(auto protect, SensitiveGlobs::compile(policy.protect, {}));
  BERTH_TRY(auto hide, SensitiveGlobs::compile(policy.hide, {}));
  return PathVerdicts(std::move(deny), std::move(protect), std::move(hide));
}

PathVerdicts::Kind PathVerdicts::kind(std::string_view path) const {
  if (hide_.matches(path)) return Kind::hidden;
  if (deny_.matches(path)) return Kind::sensitive;
  if (protect_.matches(path)) return Kind::is_protected;
  return Kind::open;
}

Result<void> PathVerdicts::check_read(const Path& path) const {
  if (hide_.matches(path.text())) return hidden_error();
  if (deny_.matches(path.text())) return sensitive_error();
  return {};
}

Result<void> PathVerdicts::check_write(const Path& path, Makes makes) const {
  switch (kind(path.text())) {
    case Kind::open: return {};
    case Kind::is_protected: return protected_error();
    case Kind::sensitive: return sensitive_error();
    case Kind::hidden: break;
  }
  if (makes == Makes::nothing) return hidden_error();
  return make_error(ErrorCode::policy_denied, "nothing can be made at this path");
}

Error sensitive_error() { return denied("the workspace's policy keeps this path back", "sensitive"); }

Error protected_error() { return denied("the workspace's policy keeps this path from being changed", "protected"); }

Error hidden_error() { return make_error(ErrorCode::not_found, "nothing stands at this path"); }

}  // namespace berth
