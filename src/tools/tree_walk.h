#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "workspace/workspace.h"

namespace berth::tools {

/// A name that a walk came by.
struct WalkedEntry {
  const Path& path;             ///< from the root
  const std::string& relative;  ///< to where the walk began
  const DirectoryEntry& entry;
};

/// What a walk does after a name. Only directories are entered, links to them are not.
enum class WalkStep { pass, enter, stop };

enum class WalkOrder {
  depth_first,   ///< the names in a directory, then what each of its directories holds
  breadth_first  ///< all names of one depth before the next
};

struct WalkOptions {
  WalkOrder order = WalkOrder::depth_first;
  std::int64_t max_directories = 10'000;
  std::int64_t max_entries = 100'000;
};

struct WalkEnd {
  bool complete = true;                ///< false: something was unreadable, a bound was hit, or the visitor stopped
  std::vector<Unreadable> unreadable;  ///< directories that could not be listed
};

/// Visit every name below a directory, hidden ones too, those of one directory sorted by bytes. A directory that
/// vanishes meanwhile holds nothing. Memory is the directories that wait, and one listing. Errors: those of
/// `FileReads::list_directory` for the base, and the call's end.
Result<WalkEnd> walk_tree(const Call& call, Workspace& workspace, const Path& base, const WalkOptions& options,
                          const std::function<WalkStep(const WalkedEntry&)>& visit);

}  // namespace berth::tools
