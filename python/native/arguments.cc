#include "arguments.h"

#include <cmath>

namespace berth::python {
namespace {

/// Append what a str holds; `errors` says what becomes of surrogates.
bool append_utf8(nb::handle object, std::string& text, const char* errors) {
  Py_ssize_t size = 0;
  if (const char* utf8 = PyUnicode_AsUTF8AndSize(object.ptr(), &size)) {
    text.assign(utf8, static_cast<std::size_t>(size));
    return true;
  }
  PyErr_Clear();
  nb::object encoded = nb::steal(PyUnicode_AsEncodedString(object.ptr(), "utf-8", errors));
  if (!encoded.is_valid()) throw nb::python_error();
  text.assign(PyBytes_AS_STRING(encoded.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(encoded.ptr())));
  return true;
}

}  // namespace

bool read_text(nb::handle object, std::string& text) {
  if (PyUnicode_Check(object.ptr())) return append_utf8(object, text, "surrogateescape");
  if (PyBytes_Check(object.ptr())) {
    text.assign(PyBytes_AS_STRING(object.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(object.ptr())));
    return true;
  }
  if (!PyObject_HasAttrString(object.ptr(), "__fspath__")) return false;
  nb::object path = nb::steal(PyOS_FSPath(object.ptr()));
  if (!path.is_valid()) throw nb::python_error();
  return read_text(path, text);
}

bool read_content(nb::handle object, Bytes& bytes) {
  if (PyBytes_Check(object.ptr())) {
    bytes.assign(PyBytes_AS_STRING(object.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(object.ptr())));
    return true;
  }
  if (PyUnicode_Check(object.ptr())) return append_utf8(object, bytes, "strict");
  if (!PyObject_CheckBuffer(object.ptr())) return false;
  Py_buffer view;
  if (PyObject_GetBuffer(object.ptr(), &view, PyBUF_CONTIG_RO) != 0) throw nb::python_error();
  bytes.assign(static_cast<const char*>(view.buf), static_cast<std::size_t>(view.len));
  PyBuffer_Release(&view);
  return true;
}

std::chrono::nanoseconds seconds_arg(double seconds, const char* name) {
  if (!std::isfinite(seconds) || seconds <= 0) {
    throw nb::value_error((std::string(name) + " must be a positive finite number of seconds").c_str());
  }
  constexpr double kLongest = 9e9;  // what nanoseconds in 64 bits hold, about
  if (seconds >= kLongest) return std::chrono::nanoseconds::max();
  return std::chrono::ceil<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds));
}

std::optional<std::chrono::milliseconds> milliseconds_arg(std::optional<double> seconds, const char* name) {
  if (!seconds) return std::nullopt;
  const auto exact = seconds_arg(*seconds, name);
  if (exact == std::chrono::nanoseconds::max()) return std::nullopt;
  return std::chrono::ceil<std::chrono::milliseconds>(exact);
}

GitMode git_mode_arg(std::string_view text) {
  if (text == "100644") return GitMode::regular;
  if (text == "100755") return GitMode::executable;
  throw nb::value_error("a git mode is '100644' or '100755'");
}

std::optional<GitMode> git_mode_arg(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  return git_mode_arg(std::string_view(*text));
}

std::optional<ChangeToken> token_arg(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  auto token = ChangeToken::try_parse(*text);
  if (!token) throw nb::value_error("the change token is none that a workspace gave out");
  return token;
}

}  // namespace berth::python
