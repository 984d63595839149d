#include "call_binding.h"

namespace berth::python {
namespace {

Started read(const Handle& handle, TextArg path, std::int64_t offset, std::optional<std::int64_t> max_bytes,
             bool want_revision) {
  const ReadRange range{
      .offset = offset, .max_bytes = max_bytes, .want_revision = want_revision ? WantRevision::yes : WantRevision::no};
  return on(handle, Takes::a_moment, [path = std::move(path.text), range](Workspace& workspace, const Call& call) {
    return workspace.read(call, path, range);
  });
}

Started read_lines(const Handle& handle, TextArg path, std::int64_t first, std::optional<std::int64_t> count,
                   std::int64_t max_bytes, bool count_lines) {
  const LineRange range{.first = first, .count = count, .max_bytes = max_bytes, .count_lines = count_lines};
  return on(handle, Takes::a_moment, [path = std::move(path.text), range](Workspace& workspace, const Call& call) {
    return workspace.read_lines(call, path, range);
  });
}

Started stat(const Handle& handle, TextArg path, bool follow) {
  return on(handle, Takes::a_moment, [path = std::move(path.text), follow](Workspace& workspace, const Call& call) {
    return workspace.stat(call, path, follow ? FollowLeaf::yes : FollowLeaf::no);
  });
}

Started exists(const Handle& handle, TextArg path) {
  return on(handle, Takes::a_moment, [path = std::move(path.text)](Workspace& workspace, const Call& call) {
    return workspace.exists(call, path);
  });
}

Started require_absent(const Handle& handle, TextArg path) {
  return on(handle, Takes::a_moment, [path = std::move(path.text)](Workspace& workspace, const Call& call) {
    return workspace.require_absent(call, path);
  });
}

Started list_directory(const Handle& handle, TextArg path) {
  return on(handle, Takes::a_moment, [path = std::move(path.text)](Workspace& workspace, const Call& call) {
    return workspace.list_directory(call, path);
  });
}

Started real_path(const Handle& handle, TextArg path) {
  return on(handle, Takes::a_moment, [path = std::move(path.text)](Workspace& workspace, const Call& call) {
    return workspace.real_path(call, path);
  });
}

nb::object resolve(const Handle& handle, TextArg path) {
  const auto resolved = handle.get()->resolve(path.text);
  if (!resolved) raise(resolved.error());
  return to_python(*resolved);
}

}  // namespace

void bind_files(nb::class_<Handle>& handle) {
  handle.def("read", read)
      .def("read_lines", read_lines)
      .def("stat", stat)
      .def("exists", exists)
      .def("require_absent", require_absent)
      .def("list_directory", list_directory)
      .def("real_path", real_path)
      .def("resolve", resolve);
}

}  // namespace berth::python
