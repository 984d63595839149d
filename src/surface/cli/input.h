#pragma once

#include <string>

#include "base/bytes.h"
#include "base/call.h"

namespace berth::cli {

/// Read standard input to its end. The call's stop ends the wait. Memory: the input.
Result<Bytes> read_standard_input(const Call& call);

/// Read a file of the host, or standard input when the name is `-`.
Result<Bytes> read_host_file(const Call& call, const std::string& name);

}  // namespace berth::cli
