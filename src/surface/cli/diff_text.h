#pragma once

#include <string_view>

#include "surface/cli/console.h"

namespace berth::cli {

/// Print a unified diff, coloured and made safe on a terminal, byte for byte elsewhere.
void print_diff(Console& console, std::string_view diff);

}  // namespace berth::cli
