#include "engine/files/prune_directories.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <vector>

#include "engine/files/directory_stack.h"
#include "engine/files/sync_directory.h"
#include "os/directory_lock.h"

namespace berth::engine {
namespace {

Error not_empty() { return make_error(ErrorCode::not_empty, "the directory tree holds more than directories"); }

class Prune {
 public:
  Prune(const Call& call, const os::Root::Leaf& leaf, std::int64_t max_directories)
      : call_(call), leaf_(leaf), max_directories_(max_directories) {}

  Result<PruneOutcome> run() {
    BERTH_TRY(const bool there, walk(Pass::look));
    if (!there) return PruneOutcome{0};
    auto pruned = walk(Pass::remove);
    if (pruned) pruned = remove_top();
    if (!pruned) return std::move(pruned).error().with("removed", removed_);
    return PruneOutcome{removed_};
  }

 private:
  enum class Pass { look, remove };

  /// Go through the tree, children before parents; false when it is not there.
  Result<bool> walk(Pass pass) {
    os::Fd top(openat(leaf_.directory.get(), leaf_.name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!top && errno == ENOENT) return false;
    if (!top) return errno_error(errno == ELOOP ? ENOTDIR : errno, "open the directory");
    BERTH_TRY(DirectoryStack stack, DirectoryStack::begin(std::move(top)));
    seen_ = 0;
    // The children still to be visited of every directory on the way down.
    std::vector<std::vector<std::string>> waiting(1);
    BERTH_TRY(waiting.back(), children(stack));
    for (;;) {
      if (!waiting.back().empty()) {
        const std::string name = std::move(waiting.back().back());
        waiting.back().pop_back();
        const auto entered = stack.enter(name);
        if (!entered && entered.error().code == ErrorCode::not_a_directory) return not_empty();
        if (!entered && entered.error().code == ErrorCode::not_found) continue;
        BERTH_CHECK(entered);
        BERTH_TRY(auto below, children(stack));
        waiting.push_back(std::move(below));
        continue;
      }
      if (stack.at_top()) return true;
      const std::string name = stack.name();
      BERTH_CHECK(stack.leave());
      waiting.pop_back();
      if (pass == Pass::remove) BERTH_CHECK(remove(stack.directory(), name));
    }
  }

  /// The names in the current directory, all of which may be directories.
  Result<std::vector<std::string>> children(DirectoryStack& stack) {
    BERTH_CHECK(call_.check());
    if (++seen_ > max_directories_) {
      return make_error(ErrorCode::too_large, "the tree holds more directories than max_directories allows")
          .with("max_directories", max_directories_);
    }
    BERTH_CHECK(stack.refuse_mount_point());
    TempSweep::sweep(stack.directory());
    BERTH_CHECK(stack.rewind());
    std::vector<std::string> names;
    for (;;) {
      BERTH_TRY(const auto* entry, stack.next());
      if (entry == nullptr) return names;
      if (entry->type != DT_DIR && entry->type != DT_UNKNOWN) return not_empty();
      names.emplace_back(entry->name);
      if (static_cast<std::int64_t>(names.size()) + seen_ > max_directories_ && entry->type == DT_DIR) {
        return make_error(ErrorCode::too_large, "the tree holds more directories than max_directories allows")
            .with("max_directories", max_directories_);
      }
    }
  }

  Result<void> remove(int directory, const std::string& name) {
    if (unlinkat(directory, name.c_str(), AT_REMOVEDIR) == 0) {
      ++removed_;
      return {};
    }
    if (errno == ENOENT) return {};
    if (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR) return not_empty();
    return errno_error(errno, "remove the directory");
  }

  Result<bool> remove_top() {
    BERTH_TRY(const auto lock, os::DirectoryLock::take(call_, leaf_.directory.get()));
    BERTH_CHECK(remove(leaf_.directory.get(), leaf_.name));
    return true;
  }

  const Call& call_;
  const os::Root::Leaf& leaf_;
  std::int64_t max_directories_;
  std::int64_t seen_ = 0;
  std::int64_t removed_ = 0;
};

}  // namespace

Result<PruneOutcome> prune_directories(const Call& call, FileEngine& engine, const Path& path,
                                       std::int64_t max_directories) {
  BERTH_CHECK(call.check());
  if (max_directories <= 0) return make_error(ErrorCode::invalid_argument, "max_directories must be greater than 0");
  if (path.is_root()) return make_error(ErrorCode::invalid_argument, "the root of the workspace cannot be removed");
  const auto leaf = engine.root->parent_of(call, path, os::Root::Parents::must_exist);
  if (!leaf && leaf.error().code == ErrorCode::not_found) return PruneOutcome{0};
  if (!leaf) return leaf.error();
  BERTH_TRY(const PruneOutcome outcome, Prune(call, *leaf, max_directories).run());
  if (outcome.removed > 0 && engine.options.durability == Durability::durable) {
    BERTH_CHECK(sync_directory(leaf->directory.get()));
  }
  return outcome;
}

}  // namespace berth::engine
