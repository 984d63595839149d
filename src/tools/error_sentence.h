#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace berth::tools {

/// Say an error in one line, as profiles with texts of their own do: `PATH: message (name value, …); next step`. Places
/// follow, one a line, indented. Facts that the rest says already, and those for programs, are left out.
std::string error_sentence(const Error& error);

/// Whether a field of an error is noise to a reader: the names of states, of arguments that the message names, and the
/// like.
bool is_for_programs(std::string_view field) noexcept;

}  // namespace berth::tools
