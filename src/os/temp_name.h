#pragma once

#include <string>
#include <string_view>

namespace berth::os {

/// Names of temporary files made beside their target (C-WRITE-1): fixed length, whatever the target's name, so that
/// 255-byte names work; recognisable, so that listings hide them and the next open removes those of dead processes.
/// Shape: `.berth-tmp-` + 32 lower-case hexadecimal digits. Any name of that shape is ours and never shows.
std::string make_temp_name();
bool is_temp_name(std::string_view name) noexcept;

}  // namespace berth::os
