#pragma once

#include "engine/commands/command_environment.h"
#include "engine/commands/wire.h"
#include "os/fd.h"

namespace berth::engine {

/// The words and variables of a command as a run request carries them: after the struct, or in a file when they are
/// long.
struct RunPayload {
  wire::RunRequest request;
  Bytes inline_bytes;
  os::Fd file;
};

Result<RunPayload> make_run_payload(const CommandSpec& spec, const StringBlock& environment);

/// A file in memory, for what is too long for a message. Its offset is at the end.
Result<os::Fd> file_in_memory(BytesView bytes);

}  // namespace berth::engine
