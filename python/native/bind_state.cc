#include <nanobind/stl/shared_ptr.h>

#include "call_binding.h"
#include "policy/rules/ruled.h"
#include "providers/state/provider.h"
#include "rules_argument.h"
#include "store/directory_store.h"
#include "store/memory_store.h"
#include "store/sqlite_store.h"

namespace berth::python {
namespace {

WorkspaceRef ref_of(std::string id) { return {.provider = "state", .id = std::move(id)}; }

/// Documents in memory without a location, in a SQLite database when it ends with `.db`, else in a directory.
Result<StateStore> open_store(const Call& call, const std::optional<std::string>& location) {
  if (!location) return StateStore{store::make_memory_store()};
  if (location->ends_with(".db")) {
    BERTH_TRY(auto database, store::open_sqlite_store(call, {*location}));
    return StateStore{std::move(database)};
  }
  BERTH_TRY(auto directory, store::open_directory_store({*location}));
  return StateStore{std::move(directory)};
}

Started open_state_store(std::optional<TextArg> location) {
  std::optional<std::string> text;
  if (location) text = std::move(location->text);
  return operation(Takes::a_moment, [text = std::move(text)](const Call& call) -> Result<std::shared_ptr<StateStore>> {
    auto opened = open_store(call, text);
    if (!opened) return std::move(opened).error().at(text.value_or(""));
    return std::make_shared<StateStore>(std::move(opened).value());
  });
}

nb::object workspace_of(Result<std::unique_ptr<Backend>> backend) {
  if (!backend) raise(backend.error());
  return to_python(std::make_unique<Workspace>(std::move(backend).value()));
}

nb::object create(const StateStore& self) { return workspace_of(state::StateProvider(self.documents).create()); }

nb::object attach(const StateStore& self, std::string id, const std::optional<std::string>& rules) {
  auto backend = state::StateProvider(self.documents).attach(ref_of(std::move(id)));
  const auto policy = rules_arg(rules);
  if (backend && policy != nullptr) backend = make_ruled(std::move(backend).value(), *policy);
  return workspace_of(std::move(backend));
}

Started destroy(const StateStore& self, std::string id) {
  return operation(Takes::a_moment, [documents = self.documents, ref = ref_of(std::move(id))](const Call& call) {
    return state::StateProvider(documents).destroy(call, ref);
  });
}

Started list(const StateStore& self) {
  return operation(Takes::a_moment, [documents = self.documents](const Call& call) { return documents->list(call); });
}

Started read_document(const StateStore& self, std::string id) {
  return operation(Takes::a_moment,
                   [documents = self.documents, id = std::move(id)](const Call& call) -> Result<Content> {
                     BERTH_TRY(auto document, documents->get(call, id));
                     return Content{std::move(document.content)};
                   });
}

Started create_document(const StateStore& self, std::string id, ContentArg content) {
  return operation(Takes::a_moment,
                   [documents = self.documents, id = std::move(id),
                    content = std::move(content.bytes)](const Call& call) -> Result<void> {
                     BERTH_TRY(const auto version, documents->create(call, id, content));
                     (void)version;
                     return {};
                   });
}

}  // namespace

nb::object to_python(std::shared_ptr<StateStore>&& store) { return nb::cast(std::move(store)); }

void bind_state(nb::module_& module) {
  nb::class_<StateStore>(module, "StateStore")
      .def("create", create)
      .def("attach", attach, nb::arg(), nb::arg().none())
      .def("destroy", destroy)
      .def("list", list)
      .def("read_document", read_document)
      .def("create_document", create_document);
  module.def("open_state_store", open_state_store, nb::arg().none());
}

}  // namespace berth::python
