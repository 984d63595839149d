#include "surface/assemble.h"

#include <filesystem>
#include <string_view>
#include <utility>

#include "policy/audit.h"
#include "policy/confined.h"
#include "policy/read_only.h"
#include "policy/rules/ruled.h"
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
  options.commands.env = config.env;
  options.jobs.state_directory = config.state_directory;
  if (config.location.starts_with(kLocal)) {
    return local::attach_local({.provider = "local", .id = config.location.substr(kLocal.size())}, std::move(options));
  }
  return local::open_local({config.location}, std::move(options));
}

/// Refuse a file for the audit that file calls could replace: one whose real name lies below the directory's.
Result<void> check_outside(const std::string& file, const BackendInfo& info) {
  if (info.provider != "local" || info.access == Access::read_only) return {};
  std::error_code failed;
  const auto real = std::filesystem::weakly_canonical(std::filesystem::absolute(file, failed), failed);
  if (failed || !strip_root(real.native(), info.root_names)) return {};
  auto error = make_error(ErrorCode::invalid_argument,
                          "the audit file lies inside the workspace, where file calls could replace it");
  error.hint = "name a file outside the workspace";
  return error;
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
  if (config.rules) backend = make_ruled(std::move(backend), *config.rules);
  if (!config.audit_file.empty()) {
    if (auto checked = check_outside(config.audit_file, backend->info()); !checked) {
      return std::move(checked).error().at(config.audit_file);
    }
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
