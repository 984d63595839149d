#include <tuple>

#include <nanobind/stl/tuple.h>

#include "call_binding.h"
#include "path/sensitive_globs.h"
#include "rules_argument.h"
#include "surface/assemble.h"

namespace berth::python {
namespace {

using Globs = std::vector<std::string>;

Shape ref_shape("WorkspaceRef", {"provider", "id"});
Shape info_shape("WorkspaceInfo", {"provider", "resource_key", "root_names", "read_only", "isolation"});
Shape capabilities_shape("Capabilities",
                         {"read_files", "write_files", "run_commands", "search_files", "transactions", "jobs"});

/// `limits`: what Limits of berth.values holds, in order.
using LimitsArg = std::tuple<std::optional<std::int64_t>, std::optional<std::int64_t>, std::optional<std::int64_t>,
                             std::optional<std::int64_t>, std::optional<std::int64_t>, std::optional<double>,
                             std::optional<std::int64_t>>;

LimitPolicy limits_arg(const LimitsArg& given) {
  LimitPolicy limits;
  std::optional<double> command_time;
  std::tie(limits.max_read_bytes, limits.max_write_bytes, limits.max_list_entries, limits.max_search_results,
           limits.max_search_bytes, command_time, limits.max_output_bytes) = given;
  limits.max_command_time = milliseconds_arg(command_time, "max_command_time_s");
  return limits;
}

Started open(TextArg location, bool attach, bool follow_links, bool durable, std::optional<TextArg> state_directory,
             std::optional<TextArg> below, bool read_only, nb::handle env,
             std::optional<std::tuple<Globs, Globs, Globs, Globs>> sensitive, const LimitsArg& limits,
             std::optional<TextArg> audit_file, std::string actor, const std::optional<std::string>& rules) {
  auto config = std::make_unique<WorkspaceConfig>();
  config->location = std::move(location.text);
  if (attach) config->missing = WorkspaceConfig::Missing::refuse;
  if (!follow_links) config->links = os::LinkPolicy::refuse;
  if (durable) config->durability = engine::Durability::durable;
  if (state_directory) config->state_directory = std::move(state_directory->text);
  if (below) config->below = std::move(below->text);
  if (read_only) config->access = Access::read_only;
  if (!env.is_none()) {
    for (const auto [name, value] : nb::cast<nb::dict>(env)) {
      config->env.emplace_back(nb::cast<TextArg>(name).text, nb::cast<TextArg>(value).text);
    }
  }
  if (sensitive) {
    SensitivePolicy policy;
    std::tie(policy.deny, policy.allow, policy.protect, policy.hide) = std::move(*sensitive);
    config->sensitive = std::move(policy);
  }
  config->limits = limits_arg(limits);
  if (audit_file) config->audit_file = std::move(audit_file->text);
  config->actor = std::move(actor);
  config->rules = rules_arg(rules);
  return operation(
      Takes::a_moment,
      [config = std::shared_ptr(std::move(config))](const Call& call) -> Result<std::unique_ptr<Workspace>> {
        BERTH_CHECK(call.check());
        return assemble(*config);
      });
}

nb::object ref(const Handle& handle) {
  const auto ref = handle.get()->ref();
  return ref ? ref_shape.make(text_of(ref->provider), text_of(ref->id)) : none();
}

nb::object info(const Handle& handle) {
  const auto& info = handle.get()->info();
  // The last name is the one with its links resolved; whoever looks takes the first.
  std::vector<std::string> names(info.root_names.rbegin(), info.root_names.rend());
  return info_shape.make(text_of(info.provider), text_of(info.resource_key), tuple_of(names, text_of),
                         to_python(info.access == Access::read_only), text_of(info.isolation));
}

nb::object capabilities(const Handle& handle) {
  const auto has = handle.get()->capabilities();
  return capabilities_shape.make(to_python(has.read_files), to_python(has.write_files), to_python(has.run_commands),
                                 to_python(has.search_files), to_python(has.transactions), to_python(has.jobs));
}

Started ensure(const Handle& handle) {
  return on(handle, Takes::a_while, [](Workspace& workspace, const Call& call) { return workspace.ensure(call); });
}

nb::object sensitive_defaults() {
  const auto policy = default_sensitive_policy();
  return nb::make_tuple(tuple_of(policy.deny, text_of), tuple_of(policy.allow, text_of),
                        tuple_of(policy.protect, text_of), tuple_of(policy.hide, text_of));
}

/// For `path_is_sensitive`; raises ValueError for a glob that cannot be compiled.
void make_globs(SensitiveGlobs* at, const Globs& deny, const Globs& allow) {
  auto compiled = SensitiveGlobs::compile(deny, allow);
  if (!compiled) raise(compiled.error());
  new (at) SensitiveGlobs(std::move(*compiled));
}

}  // namespace

nb::object to_python(std::unique_ptr<Workspace>&& workspace) {
  return nb::cast(new Handle(std::move(workspace)), nb::rv_policy::take_ownership);
}

void bind_open(nb::module_& module, nb::class_<Handle>& handle) {
  module.def("open", open, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg(),
             nb::arg().none(), nb::arg().none(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg().none());
  module.def("sensitive_defaults", sensitive_defaults);
  nb::class_<SensitiveGlobs>(module, "SensitiveGlobs")
      .def("__init__", make_globs)
      .def("matches", [](const SensitiveGlobs& self, const TextArg& path) { return self.matches(path.text); });
  handle.def_prop_ro("ref", ref)
      .def_prop_ro("info", info)
      .def_prop_ro("capabilities", capabilities)
      .def_prop_ro("closed", &Handle::closed)
      .def("close", &Handle::close)
      .def("ensure", ensure);
}

}  // namespace berth::python
