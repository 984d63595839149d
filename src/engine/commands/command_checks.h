#pragma once

#include "base/result.h"
#include "contract/commands.h"

namespace berth::engine {

/// Check what of a command does not depend on where it runs (C-RUN-9). Errors: `invalid_argument`.
Result<void> check_command_spec(const CommandSpec& spec);

}  // namespace berth::engine
