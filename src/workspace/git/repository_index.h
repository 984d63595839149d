#pragma once

#include <cstdint>
#include <optional>

#include "workspace/git/candidates.h"

namespace berth::git {

/// What tells the repository's index from what it was, or will be.
struct IndexState {
  std::int64_t time = 0;  ///< when it was written, in seconds
  Bytes identity;         ///< its inode, size and times, in whatever form

  bool operator==(const IndexState&) const = default;
};

/// Look at the repository's own index where it stands: by a read where that is below the workspace's root, else by a
/// command. Nothing when there is none, or it cannot be seen.
std::optional<IndexState> find_index(const GitContext& context);

/// Read it, up to 256 MiB. Whether it is the one that was found before, `find_index` tells afterwards.
std::optional<Bytes> read_index(const GitContext& context);

}  // namespace berth::git
