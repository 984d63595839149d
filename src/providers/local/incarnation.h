#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::local {

/// Name the directory that a descriptor refers to so that another one under the same path has another name: 16
/// hexadecimal digits of a hash over its inode number and birth time (statx(2), STX_BTIME). Where the file system keeps
/// no birth time, a directory that was given a freed inode number looks like the one before it.
Result<std::string> incarnation_of(int directory);

/// The id of a ref, `INCARNATION:/absolute/path`, taken apart.
struct LocalId {
  std::string incarnation;
  std::string path;

  bool operator==(const LocalId&) const = default;
};

std::string to_string(const LocalId& id);

/// Read an id; nothing when it is not of that shape: 16 lower-case hexadecimal digits, a colon, and an absolute path
/// without NUL of at most 4096 bytes.
std::optional<LocalId> try_parse_id(std::string_view text);

}  // namespace berth::local
