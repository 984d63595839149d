#pragma once

#include <optional>
#include <string>

#include <nanobind/nanobind.h>

#include "contract/commands.h"

namespace berth::python {

namespace nb = nanobind;

/// A command as Python gives it; its `cwd` is resolved when it runs.
struct CommandArg {
  CommandSpec spec;
  std::string cwd;
};

/// `command` is a sequence of words, or a str or bytes for `/bin/sh -c` when `shell`; TypeError for anything else.
/// `env` and `env_remove` may be None, `output` is (True, limit, kept) or (False, head, tail).
CommandArg command_arg(nb::handle command, bool shell, nb::handle env, nb::handle env_remove, nb::handle cwd,
                       nb::handle stdin_bytes, std::optional<double> timeout, nb::handle output, bool end_group,
                       std::string run_id);

}  // namespace berth::python
