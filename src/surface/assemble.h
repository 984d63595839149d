#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "engine/files/host_files.h"
#include "os/features.h"
#include "os/root.h"
#include "policy/limits.h"
#include "policy/rules/rule_set.h"
#include "policy/sensitive.h"
#include "workspace/workspace.h"

/// Where a workspace is put together: the one place that knows every provider and every policy.
namespace berth {

struct WorkspaceConfig {
  /// What to do when a document is missing. A directory is never made.
  enum class Missing { make_on_write, refuse };

  /// A host directory; `state:FILE.json`; or a ref that a workspace gave out (`local:…`, `state:…`). A directory whose
  /// name starts like that is written with a leading `./`. Whoever attaches by a ref wants `Missing::refuse`.
  std::string location = ".";
  Missing missing = Missing::make_on_write;
  os::LinkPolicy links = os::LinkPolicy::follow_inside;         ///< of host directories
  os::Features features = os::Features::probe();                ///< of host directories
  engine::Durability durability = engine::Durability::visible;  ///< of host directories; documents always are durable

  /// Where the jobs of host directories are recorded; empty: see `engine::JobOptions`.
  std::string state_directory;

  /// What the commands of host directories find in their environment besides; see `engine::CommandOptions`.
  std::vector<std::pair<std::string, Bytes>> env;

  std::string below;  ///< a directory of the workspace that becomes its root; empty: the whole workspace
  Access access = Access::read_write;
  std::optional<SensitivePolicy> sensitive;
  LimitPolicy limits;
  /// What these deny is refused; what they ask about is for who calls, see `PermissionGate`. Null: no rules.
  std::shared_ptr<const RuleSet> rules;
  /// A host file that a line is appended to for each change and command; empty: none. One inside the workspace, where
  /// file calls could replace it, is `invalid_argument`.
  std::string audit_file;
  std::string actor;  ///< who the audit names
};

/// Open a workspace. Policies stand around it in one fixed order: audit outermost, then rules, limits, sensitive,
/// read-only, and the narrowing to a directory next to the provider.
/// Errors: those of the provider (`not_found`, `not_a_directory`, `permission_denied`, `foreign_ref`,
/// `environment_gone`) and of the policies' options.
Result<std::unique_ptr<Workspace>> assemble(const WorkspaceConfig& config);

}  // namespace berth
