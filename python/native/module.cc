#include <exception>
#include <typeinfo>

#include <nanobind/nanobind.h>

#include "base/error.h"
#include "handle.h"

namespace berth::python {
namespace {

/// The error table, for the test that holds berth.errors to it: (code, python class, python base, errno).
nb::object error_rows() {
  return tuple_of(error_table(), [](const ErrorInfo& row) {
    return nb::object(
        nb::make_tuple(text_of(row.name), text_of(row.python_class), text_of(row.python_base), row.errno_value));
  });
}

}  // namespace
}  // namespace berth::python

NB_MODULE(_native, module) {
  using namespace berth::python;
  nb::register_exception_translator(
      [](const std::exception_ptr& thrown, void*) {
        try {
          std::rethrow_exception(thrown);
        } catch (const std::bad_cast&) {
          PyErr_SetString(PyExc_TypeError, "a part of an argument has the wrong type");
        }
      },
      nullptr);
  nb::set_leak_warnings(false);  // a program may end while it holds a workspace
  module.attr("version") = BERTH_VERSION;
  module.def("error_rows", error_rows);
  bind_operations(module);
  nb::class_<Handle> handle(module, "Workspace");
  bind_open(module, handle);
  bind_files(handle);
  bind_changes(handle);
  bind_finding(handle);
  bind_commands(handle);
  bind_jobs(handle);
  bind_repository(module, handle);
  bind_state(module);
  bind_tools(module);
}
