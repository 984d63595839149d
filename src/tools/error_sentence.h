#pragma once

#include <string>

#include "base/error.h"

namespace berth::tools {

/// Say an error in one line, as profiles with texts of their own do: `PATH: message (name value, …); next step`. Places
/// follow, one a line, indented. Facts that the message says already are left out.
std::string error_sentence(const Error& error);

}  // namespace berth::tools
