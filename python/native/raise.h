#pragma once

#include <nanobind/nanobind.h>

#include "base/error.h"

namespace berth::python {

namespace nb = nanobind;

/// The exception object that stands for an error, as berth.errors makes it.
nb::object exception_of(const Error& error);

/// Raise it: throws nb::python_error.
[[noreturn]] void raise(const Error& error);

}  // namespace berth::python
