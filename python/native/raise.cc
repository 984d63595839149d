#include "raise.h"

#include <variant>

#include "shape.h"

namespace berth::python {
namespace {

nb::object field_value(const ErrorField::Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return to_python(*number);
  if (const auto* text = std::get_if<std::string>(&value)) return text_of(*text);
  return tuple_of(std::get<std::vector<std::string>>(value), text_of);
}

}  // namespace

nb::object exception_of(const Error& error) {
  const ErrorInfo& row = error_info(error.code);
  nb::dict fields;
  for (const auto& field : error.fields) fields[text_of(field.name)] = field_value(field.value);
  const std::string_view message = error.message.empty() ? row.name : std::string_view(error.message);
  return nb::module_::import_("berth.errors")
      .attr("make_error")(text_of(row.python_class), row.errno_value, text_of(row.name), text_of(message),
                          error.path.empty() ? none() : text_of(error.path), text_of(error.next_step()), row.retryable,
                          fields);
}

void raise(const Error& error) {
  nb::object exception = exception_of(error);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
  throw nb::python_error();
}

}  // namespace berth::python
