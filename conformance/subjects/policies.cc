#include <cstdlib>

#include "conformance/subject.h"
#include "policy/audit.h"
#include "policy/confined.h"
#include "policy/limits.h"
#include "policy/read_only.h"
#include "policy/rules/ruled.h"
#include "policy/sensitive.h"
#include "providers/local/local.h"

namespace berth::conformance {
namespace {

using Made = Result<std::unique_ptr<Backend>>;
using Wrap = std::function<Made(std::unique_ptr<Backend>)>;

/// A host directory behind policies.
HostSubject wrapped(std::string name, std::string title, Wrap wrap) {
  local::LocalOptions options;
  options.features = os::Features::probe();
  HostSubject subject{.name = std::move(name), .title = std::move(title), .open = {}, .attach = {}};
  subject.open = [options, wrap](const std::string& directory) -> Made {
    BERTH_TRY(auto inner, local::open_local({directory}, options));
    return wrap(std::move(inner));
  };
  subject.attach = [options, wrap](const WorkspaceRef& ref) -> Made {
    BERTH_TRY(auto inner, local::attach_local(ref, options));
    return wrap(std::move(inner));
  };
  return subject;
}

Made read_only(std::unique_ptr<Backend> inner) { return make_read_only(std::move(inner)); }

Made sensitive(std::unique_ptr<Backend> inner) { return make_sensitive(std::move(inner), default_sensitive_policy()); }

/// Limits that no rule comes near: what is tried is that nothing else changes.
Made limited(std::unique_ptr<Backend> inner) {
  return make_limited(std::move(inner), {.max_read_bytes = 100'000'000,
                                         .max_write_bytes = 100'000'000,
                                         .max_list_entries = 1'000'000,
                                         .max_search_results = 1'000'000,
                                         .max_search_bytes = 100'000'000,
                                         .max_command_time = std::chrono::minutes(10),
                                         .max_output_bytes = 100'000'000});
}

Made audited(std::unique_ptr<Backend> inner) {
  return make_audited(std::move(inner), std::make_shared<MemoryAuditLog>(), {.actor = "suite"});
}

/// Rules that deny something of every kind, and nothing that the suite names: what is tried is that nothing else
/// changes.
Made ruled(std::unique_ptr<Backend> inner) {
  RuleSpec spec{.fallback = RuleAction::allow, .operations = {}};
  for (const auto operation : kOperations) {
    spec.of(operation).rules = {
        {.pattern = "**/forbidden/**", .group = {}, .action = RuleAction::deny, .description = {}}};
  }
  BERTH_TRY(const auto rules, RuleSet::compile(std::move(spec)));
  return make_ruled(std::move(inner), rules);
}

Made confined(std::unique_ptr<Backend> inner) { return make_confined(std::move(inner), Path().child("jail")); }

/// Every policy, in the order a surface puts them.
Made stacked(std::unique_ptr<Backend> inner) {
  BERTH_TRY(auto narrowed, confined(std::move(inner)));
  BERTH_TRY(auto guarded, sensitive(std::move(narrowed)));
  BERTH_TRY(auto bounded, limited(std::move(guarded)));
  BERTH_TRY(auto judged, ruled(std::move(bounded)));
  return audited(std::move(judged));
}

}  // namespace

std::vector<Subject> subjects() {
  HostSubject reading = wrapped("read_only", "local + read_only", read_only);
  reading.access = Access::read_only;
  reading.capabilities.write_files = false;
  reading.capabilities.transactions = false;
  reading.capabilities.run_commands = false;
  reading.capabilities.jobs = false;
  HostSubject jail = wrapped("confined", "local + confined", confined);
  jail.below = "jail";
  HostSubject all = wrapped("stacked", "local + all policies", stacked);
  all.below = "jail";
  return {
      host_subject(std::move(reading)),
      host_subject(wrapped("sensitive", "local + sensitive", sensitive)),
      host_subject(wrapped("rules", "local + rules", ruled)),
      host_subject(wrapped("limits", "local + limits", limited)),
      host_subject(wrapped("audit", "local + audit", audited)),
      host_subject(std::move(jail)),
      host_subject(std::move(all)),
  };
}

}  // namespace berth::conformance
