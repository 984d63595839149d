#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace berth::git {

/// What one side of a path is.
struct GitEntry {
  std::uint32_t mode = 0;  ///< 0100644, 0100755, 0120000, 0160000; 0: nothing there
  std::string object;      ///< the object's name; empty when nothing is there

  bool operator==(const GitEntry&) const = default;
};

/// One path of which `git status` says that baseline, index and work tree are not all one.
struct StatusRecord {
  Bytes path;                      ///< from the top of the work tree; a nested repository without its slash
  char staged = '.';               ///< baseline to index, as git's letters; `?` for an untracked path
  char unstaged = '.';             ///< index to work tree
  bool unmerged = false;           ///< of such `baseline` is not known
  bool nested_repository = false;  ///< an untracked directory with a repository of its own
  GitEntry baseline;

  bool operator==(const StatusRecord&) const = default;
};

/// Read `git status --porcelain=v2 -z --no-renames`. The format is git-status(1). `protocol` when it is another.
Result<std::vector<StatusRecord>> parse_status(BytesView output);

}  // namespace berth::git
