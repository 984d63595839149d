#include "shape.h"

#include <stdexcept>

#include <structmember.h>

namespace berth::python {

void Shape::look_up() {
  nb::object type = nb::module_::import_("berth.values").attr(name_);
  for (std::size_t i = 0; i < count_; ++i) {
    nb::object member = type.attr(fields_[i]);
    if (Py_TYPE(member.ptr()) != &PyMemberDescr_Type) throw std::runtime_error("a field of berth.values is no slot");
    offsets_[i] = reinterpret_cast<PyMemberDescrObject*>(member.ptr())->d_member->offset;
  }
  type_ = reinterpret_cast<PyTypeObject*>(type.ptr());
}

nb::object Shape::fill(std::span<nb::object> values) {
  if (type_ == nullptr) look_up();
  if (values.size() != count_) throw std::runtime_error("a value of berth.values is filled with too few fields");
  nb::object object = nb::steal(type_->tp_alloc(type_, 0));
  if (!object.is_valid()) throw nb::python_error();
  auto* const memory = reinterpret_cast<char*>(object.ptr());
  for (std::size_t i = 0; i < count_; ++i) {
    *reinterpret_cast<PyObject**>(memory + offsets_[i]) = values[i].release().ptr();
  }
  return object;
}

nb::object none() { return nb::none(); }
nb::object to_python(bool value) { return nb::borrow(value ? Py_True : Py_False); }
nb::object to_python(std::int64_t value) { return nb::steal(PyLong_FromLongLong(value)); }
nb::object to_python(double value) { return nb::steal(PyFloat_FromDouble(value)); }

nb::object bytes_of(BytesView bytes) {
  nb::object object = nb::steal(PyBytes_FromStringAndSize(bytes.data(), static_cast<Py_ssize_t>(bytes.size())));
  if (!object.is_valid()) throw nb::python_error();
  return object;
}

nb::object text_of(std::string_view text) {
  nb::object object =
      nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape"));
  if (!object.is_valid()) throw nb::python_error();
  return object;
}

nb::object name_of(const char* literal) {
  nb::object object = nb::steal(PyUnicode_InternFromString(literal));
  if (!object.is_valid()) throw nb::python_error();
  return object;
}

}  // namespace berth::python
