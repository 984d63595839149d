#pragma once

#include <optional>
#include <string>

namespace berth::mcp {

/// 128 random bits as 32 hexadecimal digits: a name that nobody guesses. Nothing when the machine has no randomness.
std::optional<std::string> random_id();

}  // namespace berth::mcp
