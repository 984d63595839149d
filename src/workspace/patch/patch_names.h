#pragma once

#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "path/path.h"

namespace berth {

/// A name as a header line of a unified diff gives it, decoded once.
struct HeaderName {
  Bytes text;
  bool is_null = false;  ///< `/dev/null`: the file does not exist on this side

  bool operator==(const HeaderName&) const = default;
};

/// Decode a name in C quotes, as git and diff write names with odd bytes. `quoted` begins with `"`; gives the name and
/// how many bytes of the input it took. Nothing when it is malformed.
struct Unquoted {
  Bytes name;
  std::size_t length = 0;
};
std::optional<Unquoted> try_unquote(BytesView quoted);

/// Read the rest of a `--- ` or `+++ ` line, without its ending: quoted, or up to the first TAB (a timestamp follows).
std::optional<HeaderName> try_header_name(BytesView rest);

/// A name taken apart: `a` and `src/x` of `a/src/x`; no prefix where there is no slash.
struct PrefixedName {
  Bytes prefix;
  Bytes name;
};
PrefixedName split_prefix(BytesView text);

/// Whether a first component is one that diff programs put before names: `a`, `b`, git's mnemonic ones, `1`, `2`.
bool is_diff_prefix(BytesView component) noexcept;

/// Turn a name of a patch into a path of the workspace. Refuses, with a reason, what is absolute, what holds `..`, what
/// is no path, and what lies in a `.git`.
Result<Path> patch_path(BytesView name);

}  // namespace berth
