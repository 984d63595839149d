#include <nanobind/stl/shared_ptr.h>

#include "call_binding.h"

namespace berth::python {
namespace {

/// A repository as Python holds it.
struct RepositoryHandle {
  std::shared_ptr<const Repository> repository;
};

struct SnapshotHandle {
  std::shared_ptr<const git::Snapshot> snapshot;
};

template <typename Work>
Started in(const RepositoryHandle& handle, Work work) {
  return operation(Takes::a_while, [repository = handle.repository, work = std::move(work)](const Call& call) mutable {
    return work(*repository, call);
  });
}

Started open_repository(const Handle& handle) {
  return operation(Takes::a_while,
                   [workspace = handle.get()](const Call& call) -> Result<std::shared_ptr<const Repository>> {
                     BERTH_TRY(auto git, git::GitRepository::open(call, *workspace));
                     return std::make_shared<const Repository>(Repository{workspace, std::move(git)});
                   });
}

Started diff(const RepositoryHandle& handle, std::int64_t max_bytes, std::int64_t max_files,
             std::int64_t max_file_bytes, bool trust_index) {
  git::DiffOptions options;
  options.max_bytes = max_bytes;
  options.max_files = max_files;
  options.max_file_bytes = max_file_bytes;
  options.trust = trust_index ? git::IndexTrust::stat_data : git::IndexTrust::none;
  return in(handle, [options](const Repository& in, const Call& call) { return in.git->diff(call, options); });
}

Started status_paths(const RepositoryHandle& handle) {
  return in(handle, [](const Repository& in, const Call& call) { return in.git->status_paths(call); });
}

Started baseline_paths(const RepositoryHandle& handle) {
  return in(handle, [](const Repository& in, const Call& call) { return in.git->baseline_paths(call); });
}

Started snapshot(const RepositoryHandle& handle) {
  return in(handle, [](const Repository& in, const Call& call) -> Result<std::shared_ptr<const git::Snapshot>> {
    BERTH_TRY(auto taken, in.git->snapshot(call));
    return std::make_shared<const git::Snapshot>(std::move(taken));
  });
}

Started changed_since(const RepositoryHandle& handle, const SnapshotHandle& before) {
  return in(handle, [before = before.snapshot](const Repository& in, const Call& call) {
    return in.git->changed_since(call, *before);
  });
}

Started stage(const RepositoryHandle& handle, std::vector<TextArg> paths) {
  return in(handle, [paths = std::move(paths)](const Repository& in, const Call& call) -> Result<git::StageOutcome> {
    std::vector<Path> resolved;
    for (const auto& path : paths) {
      BERTH_TRY(auto one, in.workspace->resolve(path.text));
      resolved.push_back(std::move(one));
    }
    return in.git->stage(call, resolved);
  });
}

Started is_ignored(const RepositoryHandle& handle, TextArg path) {
  return in(handle, [path = std::move(path.text)](const Repository& in, const Call& call) -> Result<bool> {
    BERTH_TRY(const auto resolved, in.workspace->resolve(path));
    return in.git->is_ignored(call, resolved);
  });
}

Started require_clean(const RepositoryHandle& handle) {
  return in(handle, [](const Repository& in, const Call& call) { return in.git->require_clean(call); });
}

}  // namespace

nb::object to_python(std::shared_ptr<const Repository>&& repository) {
  return nb::cast(new RepositoryHandle{std::move(repository)}, nb::rv_policy::take_ownership);
}

nb::object to_python(std::shared_ptr<const git::Snapshot>&& snapshot) {
  return nb::cast(new SnapshotHandle{std::move(snapshot)}, nb::rv_policy::take_ownership);
}

void bind_repository(nb::module_& module, nb::class_<Handle>& handle) {
  nb::class_<SnapshotHandle>(module, "Snapshot");
  nb::class_<RepositoryHandle>(module, "Repository")
      .def_prop_ro("baseline", [](const RepositoryHandle& self) { return to_python(self.repository->git->baseline()); })
      .def("diff", diff)
      .def("status_paths", status_paths)
      .def("baseline_paths", baseline_paths)
      .def("snapshot", snapshot)
      .def("changed_since", changed_since)
      .def("stage", stage)
      .def("is_ignored", is_ignored)
      .def("require_clean", require_clean);
  handle.def("open_repository", open_repository);
}

}  // namespace berth::python
