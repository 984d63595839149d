#pragma once

#include <string>

#include "os/features.h"

namespace berth::engine {

/// Rename within two directories unless something stands at the new name. Returns 0, the errno value (EEXIST when
/// something stands there), or `kCannotRenameWithoutReplacing` where the kernel or the file system has no such call.
inline constexpr int kCannotRenameWithoutReplacing = -1;
int rename_without_replacing(const os::Features& features, int from_directory, const std::string& from,
                             int to_directory, const std::string& to) noexcept;

}  // namespace berth::engine
