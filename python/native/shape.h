#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nanobind/nanobind.h>

#include "base/bytes.h"

namespace berth::python {

namespace nb = nanobind;

/// A frozen dataclass with slots of berth.values, whose objects are filled here without its `__init__`: a tenth of the
/// time, which counts for a listing of ten thousand entries. Needs the GIL, as everything in this file.
class Shape final {
 public:
  static constexpr std::size_t kMaxFields = 24;

  /// Nothing is looked up yet. The names must outlive the shape.
  constexpr Shape(const char* name, std::initializer_list<const char*> fields) : name_(name), count_(fields.size()) {
    std::size_t at = 0;
    for (const char* field : fields) fields_[at++] = field;
  }

  /// Make an object; one value for each field, in order.
  template <typename... Values>
  nb::object make(Values&&... values) {
    std::array<nb::object, sizeof...(Values)> all{std::forward<Values>(values)...};
    return fill(all);
  }

 private:
  nb::object fill(std::span<nb::object> values);
  void look_up();

  const char* name_;
  std::array<const char*, kMaxFields> fields_{};
  std::size_t count_;
  PyTypeObject* type_ = nullptr;  // borrowed for ever: the module berth.values keeps it
  std::array<Py_ssize_t, kMaxFields> offsets_{};
};

// Values of fields.
nb::object none();
nb::object to_python(bool value);
nb::object to_python(std::int64_t value);
nb::object to_python(double value);
/// Content.
nb::object bytes_of(BytesView bytes);
/// A path or a name: bytes that are no UTF-8 become surrogate escapes.
nb::object text_of(std::string_view text);
/// The name of an enumerator: one string object for each literal.
nb::object name_of(const char* literal);

/// A tuple of what `convert` makes of each element.
template <typename Items, typename Convert>
nb::object tuple_of(const Items& items, Convert convert) {
  nb::object tuple = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(items.size())));
  if (!tuple.is_valid()) throw nb::python_error();
  Py_ssize_t at = 0;
  for (const auto& item : items) PyTuple_SET_ITEM(tuple.ptr(), at++, convert(item).release().ptr());
  return tuple;
}

}  // namespace berth::python
