#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace berth::local {

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
