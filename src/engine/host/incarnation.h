#pragma once

#include <string>

#include "base/result.h"

namespace berth::engine {

/// Name the directory that a descriptor refers to so that another one under the same path has another name: 16
/// hexadecimal digits of a hash over its inode number and birth time (statx(2), STX_BTIME). Where the file system keeps
/// no birth time, a directory that was given a freed inode number looks like the one before it.
Result<std::string> incarnation_of(int directory);

}  // namespace berth::engine
