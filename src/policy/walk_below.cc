#include "policy/walk_below.h"

#include <utility>
#include <vector>

namespace berth {

Result<void> walk_below(const Call& call, FileReads& reads, const Path& top,
                        const std::function<WalkBelow(const Path& path)>& visit) {
  const auto facts = reads.stat(call, top, FollowLeaf::no);
  if (!facts && facts.error().code == ErrorCode::not_found) return {};
  if (!facts) return facts.error();
  if (facts->kind != FileKind::directory) return {};
  std::vector<Path> directories{top};
  while (!directories.empty()) {
    BERTH_CHECK(call.check());
    const Path directory = std::move(directories.back());
    directories.pop_back();
    const auto listing = reads.list_directory(call, directory);
    if (!listing && listing.error().code == ErrorCode::not_found) continue;
    if (!listing) return listing.error();
    for (const auto& entry : listing->entries) {
      Path child = directory.child(entry.name);
      if (visit(child) == WalkBelow::stop) return {};
      if (entry.stat.kind == FileKind::directory) directories.push_back(std::move(child));
    }
  }
  return {};
}

}  // namespace berth
