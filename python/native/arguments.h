#pragma once

#include <chrono>
#include <optional>
#include <string>

#include <nanobind/nanobind.h>

#include "base/bytes.h"
#include "contract/files.h"

/// Arguments as Python programs give them.
namespace berth::python {

namespace nb = nanobind;

/// A path or another name: `str`, `bytes` or `os.PathLike`.
struct TextArg {
  std::string text;
};

/// Content: `bytes`, anything with a buffer, or `str` as UTF-8.
struct ContentArg {
  Bytes bytes;
};

/// Fills `bytes` from an object; false when it is none of the kinds that the argument takes.
bool read_text(nb::handle object, std::string& text);
bool read_content(nb::handle object, Bytes& bytes);

/// Seconds, greater than 0 and finite; raises ValueError otherwise, with the name of the argument.
std::chrono::nanoseconds seconds_arg(double seconds, const char* name);
std::optional<std::chrono::milliseconds> milliseconds_arg(std::optional<double> seconds, const char* name);

/// `100644` or `100755`; raises ValueError otherwise.
GitMode git_mode_arg(std::string_view text);
std::optional<GitMode> git_mode_arg(const std::optional<std::string>& text);

/// Raises ValueError for a text that is no token.
std::optional<ChangeToken> token_arg(const std::optional<std::string>& text);

}  // namespace berth::python

template <>
struct nanobind::detail::type_caster<berth::python::TextArg> {
  NB_TYPE_CASTER(berth::python::TextArg, const_name("str | bytes | os.PathLike[str]"))
  bool from_python(handle source, uint8_t, cleanup_list*) { return berth::python::read_text(source, value.text); }
};

template <>
struct nanobind::detail::type_caster<berth::python::ContentArg> {
  NB_TYPE_CASTER(berth::python::ContentArg, const_name("bytes | bytearray | memoryview | str"))
  bool from_python(handle source, uint8_t, cleanup_list*) { return berth::python::read_content(source, value.bytes); }
};
