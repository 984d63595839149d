#pragma once

#include <memory>
#include <string>
#include <utility>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "arguments.h"
#include "handle.h"

/// What every file of bindings uses: a method of the native class makes an Operation from its arguments.
namespace berth::python {

using Started = std::unique_ptr<Operation>;

/// An operation on a workspace: `work(workspace, call)`.
template <typename Work>
Started on(const Handle& handle, Takes takes, Work work) {
  return operation(takes, [workspace = handle.get(), work = std::move(work)](const Call& call) mutable {
    return work(*workspace, call);
  });
}

}  // namespace berth::python
