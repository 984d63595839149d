#include "surface/assemble.h"

#include <string_view>
#include <utility>

#include "policy/audit.h"
#include "policy/confined.h"
#include "policy/read_only.h"
#include "providers/local/local.h"
#include "providers/state/provider.h"

namespace berth {
namespace {

constexpr std::string_view kLocal = "local:";
constexpr std::string_view kState = "state:";

Result<std::unique_ptr<Backend>> open_backend(const WorkspaceConfig& config) {
  if (config.location.starts_with(kState)) {
    const auto file = config.location.substr(kState.size());
    if (config.missing == WorkspaceConfig::Missing::refuse) {
      return state::attach_state_file({.provider = "state", .id = file});
    }
    return state::open_state_file({file});
  }
  local::LocalOptions options;
  options.links = config.links;
  options.features = config.features;
  options.files.durability = config.durability;
  if (config.location.starts_with(kLocal)) {
    return local::attach_local({.provider = "local", .id = config.location.substr(kLocal.size())}, std::move(options));
  }
  return local::open_local({config.location}, std::move(options));
}

Result<std::unique_ptr<Backend>> put_policies_around(std::unique_ptr<Backend> backend, const WorkspaceConfig& config) {
  if (!config.below.empty()) {
    BERTH_TRY(auto directory, parse_path(config.below, backend->info().root_names));
    backend = make_confined(std::move(backend), std::move(directory));
  }
  if (config.access == Access::read_only) backend = make_read_only(std::move(backend));
  if (config.sensitive) {
    BERTH_TRY(backend, make_sensitive(std::move(backend), *config.sensitive));
  }
  if (config.limits != LimitPolicy{}) {
    BERTH_TRY(backend, make_limited(std::move(backend), config.limits));
  }
  if (!config.audit_file.empty()) {
    auto log = FileAuditLog::open({config.audit_file});
    if (!log) {
      auto error = std::move(log).error();
      if (error.code == ErrorCode::not_found) error.hint = "the directory of the file must be there: it is never made";
      return std::move(error).at(config.audit_file);
    }
    backend = make_audited(std::move(backend), std::move(log).value(), {.actor = config.actor});
  }
  return backend;
}

}  // namespace

Result<std::unique_ptr<Workspace>> assemble(const WorkspaceConfig& config) {
  auto backend = open_backend(config);
  if (!backend) {
    auto error = std::move(backend).error();
    if (error.code == ErrorCode::not_found && error.hint.empty())
      error.hint = "the directory must be there: it is never made";
    return std::move(error).at(config.location);
  }
  BERTH_TRY(auto guarded, put_policies_around(std::move(backend).value(), config));
  return std::make_unique<Workspace>(std::move(guarded));
}

}  // namespace berth
