#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace berth::git {

/// What of an index may stand between git and the truth about the work tree.
struct IndexFacts {
  enum class Use : std::uint8_t {
    as_it_is,  ///< no entry has a flag that hides changes
    cleaned,   ///< flags were taken out of the bytes
    unusable   ///< damaged, or of a kind whose entries are not all in the file (split, sparse)
  };

  Use use = Use::as_it_is;
  std::vector<Bytes> not_checked_out;  ///< entries with the skip-worktree flag, sorted

  bool operator==(const IndexFacts&) const = default;
};

/// Take the flags assume-unchanged, skip-worktree and intent-to-add out of an index, in place, and say what it held.
///
/// The format is gitformat-index(5), versions 2 to 4. The checksum at the end is left wrong: git checks it in `fsck`
/// only. `object_bytes` is 20 or 32. Time and memory are linear in the file; every damage is `unusable`, never a crash.
IndexFacts clean_index(Bytes& index, std::size_t object_bytes);

}  // namespace berth::git
