#include "call_binding.h"
#include "command_arguments.h"

namespace berth::python {
namespace {

JobId id_arg(std::string id) { return JobId{std::move(id)}; }

TerminalSize size_arg(const std::pair<std::int64_t, std::int64_t>& size) {
  const auto one = [](std::int64_t number) {
    if (number < 1 || number > 65'535) throw nb::value_error("a terminal has 1 to 65535 rows and columns");
    return static_cast<std::uint16_t>(number);
  };
  return {one(size.first), one(size.second)};
}

Started start_job(const Handle& handle, nb::handle command, bool shell, nb::handle env, nb::handle env_remove,
                  nb::handle cwd, nb::handle stdin_bytes, std::optional<double> timeout, bool end_group,
                  std::string run_id, std::string name, std::optional<std::pair<std::int64_t, std::int64_t>> terminal) {
  auto given = command_arg(command, shell, env, env_remove, cwd, stdin_bytes, timeout, nb::make_tuple(true, 1, 1),
                           end_group, std::move(run_id));
  JobSpec spec{.command = std::move(given.spec), .name = std::move(name), .terminal = {}};
  spec.command.output = {};
  if (terminal) spec.terminal = size_arg(*terminal);
  return on(handle, Takes::a_while,
            [spec = std::move(spec), cwd = std::move(given.cwd)](Workspace& workspace,
                                                                 const Call& call) mutable -> Result<JobInfo> {
              BERTH_TRY(spec.command.cwd, workspace.resolve(cwd));
              return workspace.start_job(call, spec);
            });
}

Started list_jobs(const Handle& handle) {
  return on(handle, Takes::a_while, [](Workspace& workspace, const Call& call) { return workspace.list_jobs(call); });
}

Started job(const Handle& handle, std::string id) {
  return on(handle, Takes::a_while,
            [id = id_arg(std::move(id))](Workspace& workspace, const Call& call) { return workspace.job(call, id); });
}

Started read_job(const Handle& handle, std::string id, const std::string& stream, std::int64_t offset,
                 std::int64_t max_bytes, std::optional<double> wait) {
  if (stream != "out" && stream != "err") throw nb::value_error("a stream is 'out' or 'err'");
  JobRead request{.stream = stream == "out" ? JobStream::out : JobStream::err,
                  .offset = offset,
                  .max_bytes = max_bytes,
                  .wait = {}};
  if (wait) request.wait = milliseconds_arg(wait, "wait").value_or(std::chrono::hours(24 * 365));
  return on(handle, Takes::a_while, [id = id_arg(std::move(id)), request](Workspace& workspace, const Call& call) {
    return workspace.read_job(call, id, request);
  });
}

Started write_job_stdin(const Handle& handle, std::string id, ContentArg content, bool close) {
  return on(
      handle, Takes::a_while,
      [id = id_arg(std::move(id)), content = std::move(content.bytes), close](Workspace& workspace, const Call& call) {
        return workspace.write_job_stdin(call, id, content, close ? StdinEnd::close : StdinEnd::open);
      });
}

Started signal_job(const Handle& handle, std::string id, int number) {
  return on(handle, Takes::a_while, [id = id_arg(std::move(id)), number](Workspace& workspace, const Call& call) {
    return workspace.signal_job(call, id, number);
  });
}

Started stop_job(const Handle& handle, std::string id, double grace) {
  const auto wait = grace == 0 ? std::chrono::milliseconds(0)
                               : milliseconds_arg(grace, "grace").value_or(std::chrono::hours(24 * 365));
  return on(handle, Takes::a_while, [id = id_arg(std::move(id)), wait](Workspace& workspace, const Call& call) {
    return workspace.stop_job(call, id, wait);
  });
}

Started wait_job(const Handle& handle, std::string id, std::optional<double> at_most) {
  return on(handle, Takes::a_while,
            [id = id_arg(std::move(id)), at_most = milliseconds_arg(at_most, "at_most")](
                Workspace& workspace, const Call& call) { return workspace.wait_job(call, id, at_most); });
}

Started resize_job(const Handle& handle, std::string id, std::int64_t rows, std::int64_t columns) {
  return on(handle, Takes::a_while,
            [id = id_arg(std::move(id)), size = size_arg({rows, columns})](Workspace& workspace, const Call& call) {
              return workspace.resize_job(call, id, size);
            });
}

Started forget_job(const Handle& handle, std::string id) {
  return on(handle, Takes::a_while, [id = id_arg(std::move(id))](Workspace& workspace, const Call& call) {
    return workspace.forget_job(call, id);
  });
}

}  // namespace

void bind_jobs(nb::class_<Handle>& handle) {
  handle
      .def("start_job", start_job, nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg(),
           nb::arg().none(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none())
      .def("list_jobs", list_jobs)
      .def("job", job)
      .def("read_job", read_job, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none())
      .def("write_job_stdin", write_job_stdin)
      .def("signal_job", signal_job)
      .def("stop_job", stop_job)
      .def("wait_job", wait_job, nb::arg(), nb::arg().none())
      .def("resize_job", resize_job)
      .def("forget_job", forget_job);
}

}  // namespace berth::python
