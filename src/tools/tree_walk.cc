#include "tools/tree_walk.h"

#include <deque>
#include <iterator>
#include <utility>

namespace berth::tools {
namespace {

struct Directory {
  Path path;
  std::string relative;  ///< with a slash at the end; empty for the base
};

}  // namespace

Result<WalkEnd> walk_tree(const Call& call, Workspace& workspace, const Path& base, const WalkOptions& options,
                          const std::function<WalkStep(const WalkedEntry&)>& visit) {
  WalkEnd end;
  std::deque<Directory> waiting{{base, ""}};
  std::int64_t directories = 0;
  std::int64_t entries = 0;
  while (!waiting.empty() && directories < options.max_directories && entries < options.max_entries) {
    BERTH_CHECK(call.check());
    const Directory directory = std::move(waiting.front());
    waiting.pop_front();
    const auto listing = workspace.list_directory(call, directory.path.text());
    if (!listing) {
      // The caller named the base; what is wrong with it is the answer.
      if (directory.relative.empty()) return listing.error();
      if (listing.error().code == ErrorCode::environment_gone) return listing.error();
      if (listing.error().code == ErrorCode::not_found) continue;
      end.unreadable.push_back({directory.path, listing.error().code});
      continue;
    }
    ++directories;
    std::vector<Directory> below;
    for (const auto& entry : listing->entries) {
      ++entries;
      const std::string relative = directory.relative + entry.name;
      const Path path = directory.path.child(entry.name);
      const auto step = visit({path, relative, entry});
      if (step == WalkStep::stop) {
        end.complete = false;
        return end;
      }
      if (step == WalkStep::enter && entry.stat.kind == FileKind::directory) below.push_back({path, relative + "/"});
    }
    const auto at = options.order == WalkOrder::depth_first ? waiting.begin() : waiting.end();
    waiting.insert(at, std::make_move_iterator(below.begin()), std::make_move_iterator(below.end()));
  }
  end.complete = waiting.empty() && end.unreadable.empty();
  return end;
}

}  // namespace berth::tools
