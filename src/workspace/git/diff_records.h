#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace berth::git {

/// One record of `git diff-tree --raw --numstat`.
struct DiffRecord {
  char status = 'M';  ///< A, D, M, R or T
  Bytes path;
  Bytes from;  ///< of a rename
  std::uint32_t old_mode = 0;
  std::uint32_t new_mode = 0;
  std::optional<std::int64_t> added;  ///< lines; absent for binary content
  std::optional<std::int64_t> removed;

  bool operator==(const DiffRecord&) const = default;
};

struct DiffOutput {
  std::vector<DiffRecord> records;
  Bytes patch;

  bool operator==(const DiffOutput&) const = default;
};

/// Read `git diff-tree -r -z --raw --numstat -p A B`; the format is git-diff(1). `protocol` when it is another.
Result<DiffOutput> parse_diff(Bytes output);

}  // namespace berth::git
