#include "call_binding.h"
#include "command_arguments.h"

namespace berth::python {
namespace {

/// Hands output to a Python function while the command runs, on the thread that runs it.
class FunctionSink final : public OutputSink {
 public:
  explicit FunctionSink(nb::callable function) : function_(std::move(function)) {}
  FunctionSink(FunctionSink&&) = default;
  ~FunctionSink() override {
    const nb::gil_scoped_acquire with_gil;
    function_.reset();
  }

  void write(Stream stream, BytesView bytes) override {
    const nb::gil_scoped_acquire with_gil;
    try {
      function_(name_of(stream == Stream::out ? "out" : "err"), bytes_of(bytes));
    } catch (nb::python_error& error) {
      error.discard_as_unraisable("the function that receives a command's output");
    }
  }

 private:
  nb::callable function_;
};

Started run(const Handle& handle, nb::handle command, bool shell, nb::handle env, nb::handle env_remove, nb::handle cwd,
            nb::handle stdin_bytes, std::optional<double> timeout, nb::handle output, bool end_group,
            std::string run_id, std::optional<nb::callable> on_output) {
  auto given =
      command_arg(command, shell, env, env_remove, cwd, stdin_bytes, timeout, output, end_group, std::move(run_id));
  auto sink = on_output ? std::make_shared<FunctionSink>(std::move(*on_output)) : nullptr;
  return on(handle, Takes::a_while,
            [given = std::move(given), sink = std::move(sink)](Workspace& workspace,
                                                               const Call& call) mutable -> Result<CommandOutcome> {
              BERTH_TRY(given.spec.cwd, workspace.resolve(given.cwd));
              return workspace.run(call, given.spec, sink.get());
            });
}

}  // namespace

void bind_commands(nb::class_<Handle>& handle) {
  handle.def("run", run, nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg(), nb::arg().none(),
             nb::arg().none(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
}

}  // namespace berth::python
