#pragma once

#include <memory>
#include <utility>

#include <nanobind/nanobind.h>

#include "operation.h"
#include "store/document_store.h"
#include "workspace/git/git_repository.h"
#include "workspace/workspace.h"

namespace berth::python {

/// A workspace as Python holds it. Calls that still run keep what they use when it is closed or collected.
class Handle final {
 public:
  explicit Handle(std::unique_ptr<Workspace> workspace) : workspace_(std::move(workspace)) {}
  ~Handle() { close(); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  /// Raises ValueError when it is closed.
  const std::shared_ptr<Workspace>& get() const {
    if (workspace_ == nullptr) throw nb::value_error("the workspace is closed");
    return workspace_;
  }
  bool closed() const noexcept { return workspace_ == nullptr; }
  /// Ending the processes that serve a workspace takes a moment.
  void close() noexcept {
    const nb::gil_scoped_release without_gil;
    workspace_.reset();
  }

 private:
  std::shared_ptr<Workspace> workspace_;
};

/// A repository with the workspace that it works in.
struct Repository {
  std::shared_ptr<Workspace> workspace;
  std::unique_ptr<git::GitRepository> git;
};

/// Workspaces that are documents in one store.
struct StateStore {
  std::shared_ptr<store::DocumentStore> documents;
};

// What each file of bindings adds to the class.
void bind_open(nb::module_& module, nb::class_<Handle>& handle);
void bind_files(nb::class_<Handle>& handle);
void bind_changes(nb::class_<Handle>& handle);
void bind_finding(nb::class_<Handle>& handle);
void bind_commands(nb::class_<Handle>& handle);
void bind_jobs(nb::class_<Handle>& handle);
void bind_state(nb::module_& module);
void bind_tools(nb::module_& module);
void bind_repository(nb::module_& module, nb::class_<Handle>& handle);

}  // namespace berth::python
