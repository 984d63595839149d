#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace berth {

/// A unified diff, cut to a bound.
struct BoundedDiff {
  Bytes text;              ///< empty when the contents are equal
  bool truncated = false;  ///< hunks were left out

  bool operator==(const BoundedDiff&) const = default;
};

/// Compare two contents line by line (LF) as `a/NAME` and `b/NAME` with three lines of context. What was cut was cut
/// between hunks or lines. Content with a NUL byte gives the one line "Binary files differ". Time is bounded: past a
/// fixed effort the diff is correct but no longer minimal, and contents whose differing middle is larger than 8 MiB
/// are not compared: truncated, without text. Memory grows with that middle, not with the contents.
BoundedDiff unified_diff(std::string_view name, BytesView before, BytesView after, std::size_t max_bytes);

}  // namespace berth
