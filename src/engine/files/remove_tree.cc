#include "engine/files/remove_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "engine/files/directory_stack.h"
#include "engine/files/file_stat.h"
#include "engine/files/sync_directory.h"
#include "os/directory_lock.h"
#include "os/temp_name.h"

namespace berth::engine {
namespace {

/// How often directories that were emptied may turn out not to be empty.
constexpr int kRefills = 256;
constexpr int kEntriesBetweenChecks = 64;

/// The root and every directory above it.
std::vector<struct stat> root_and_above(const os::Root& root) {
  std::vector<struct stat> chain;
  os::Fd fd(openat(root.fd(), ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  struct stat st;
  while (fd && fstat(fd.get(), &st) == 0 && (chain.empty() || !is_same_file(st, chain.back()))) {
    chain.push_back(st);
    fd.reset(openat(fd.get(), "..", O_PATH | O_DIRECTORY | O_CLOEXEC));
  }
  return chain;
}

class TreeRemoval {
 public:
  TreeRemoval(const Call& call, const FileEngine& engine, const os::Root::Leaf& leaf)
      : call_(call), engine_(engine), parent_(leaf.directory.get()), name_(leaf.name) {}

  Result<RemoveOutcome> run() {
    auto done = remove_leaf();
    if (!done) return std::move(done).error().with("removed", removed_);
    if (engine_.options.durability == Durability::durable) BERTH_CHECK(sync_directory(parent_));
    return RemoveOutcome{removed_};
  }

 private:
  Result<void> remove_leaf() {
    BERTH_TRY(const bool is_directory, unlink_leaf(0));
    if (!is_directory) return {};
    for (;;) {
      BERTH_CHECK(empty_leaf());
      BERTH_TRY(const bool refilled, unlink_leaf(AT_REMOVEDIR));
      if (!refilled) return {};
      BERTH_CHECK(count_refill());
    }
  }

  /// Unlink under the parent's lock; true when it is a directory, or one that is not empty.
  Result<bool> unlink_leaf(int flags) {
    BERTH_TRY(const auto lock, os::DirectoryLock::take(call_, parent_));
    if (unlinkat(parent_, name_.c_str(), flags) == 0) {
      ++removed_;
      return false;
    }
    if (errno == EISDIR || errno == ENOTEMPTY || errno == EEXIST) return true;
    // Another process finished what was begun here, or put a file in the directory's place.
    if (flags == AT_REMOVEDIR && errno == ENOENT) return false;
    return errno_error(errno, "remove it");
  }

  Result<void> empty_leaf() {
    os::Fd top(openat(parent_, name_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!top) {
      const int failure = errno;
      // One that cannot be read can still be removed when it is empty.
      if (failure == EACCES && unlinkat(parent_, name_.c_str(), AT_REMOVEDIR) == 0) return ++removed_, Result<void>();
      return failure == ENOENT ? Result<void>() : errno_error(failure, "open the directory");
    }
    protected_ = root_and_above(*engine_.root);
    BERTH_TRY(DirectoryStack stack, DirectoryStack::begin(std::move(top)));
    BERTH_CHECK(refuse_protected(stack));
    return empty(stack);
  }

  Result<void> empty(DirectoryStack& stack) {
    for (int seen = 1;; ++seen) {
      if (seen % kEntriesBetweenChecks == 0) BERTH_CHECK(call_.check());
      BERTH_TRY(const auto* entry, stack.next());
      if (entry != nullptr) {
        BERTH_CHECK(remove_entry(stack, std::string(entry->name), entry->type));
        continue;
      }
      if (stack.at_top()) return {};
      const std::string name = stack.name();
      BERTH_CHECK(stack.leave());
      BERTH_CHECK(remove_emptied(stack, name));
    }
  }

  Result<void> remove_entry(DirectoryStack& stack, const std::string& name, unsigned char type) {
    if (type != DT_DIR) {
      if (unlinkat(stack.directory(), name.c_str(), 0) == 0) {
        if (!os::is_temp_name(name)) ++removed_;
        return {};
      }
      if (errno == ENOENT) return {};
      if (errno != EISDIR) return errno_error(errno, "remove a file in the directory");
    }
    auto entered = stack.enter(name);
    if (entered) return refuse_protected(stack);
    switch (entered.error().code) {
      case ErrorCode::not_found: return {};
      case ErrorCode::not_a_directory: return remove_entry(stack, name, DT_UNKNOWN);
      case ErrorCode::permission_denied:
        if (unlinkat(stack.directory(), name.c_str(), AT_REMOVEDIR) == 0) return ++removed_, Result<void>();
        return entered;
      default: return entered;
    }
  }

  Result<void> remove_emptied(DirectoryStack& stack, const std::string& name) {
    if (unlinkat(stack.directory(), name.c_str(), AT_REMOVEDIR) == 0) {
      ++removed_;
      return {};
    }
    const int failure = errno;
    if (failure == ENOENT) return {};
    if (failure != ENOTEMPTY && failure != EEXIST && failure != ENOTDIR) {
      return errno_error(failure, "remove a directory");
    }
    BERTH_CHECK(count_refill());
    return remove_entry(stack, name, failure == ENOTDIR ? DT_UNKNOWN : DT_DIR);
  }

  Result<void> refuse_protected(const DirectoryStack& stack) const {
    const auto is_here = [&](const struct stat& st) { return is_same_file(st, stack.stat()); };
    if (std::ranges::none_of(protected_, is_here)) return stack.refuse_mount_point();
    return make_error(ErrorCode::invalid_argument, "the root of the workspace and what holds it cannot be removed");
  }

  Result<void> count_refill() {
    BERTH_CHECK(call_.check());
    if (++refills_ <= kRefills) return {};
    return make_error(ErrorCode::conflict, "another process keeps adding files to the directory");
  }

  const Call& call_;
  const FileEngine& engine_;
  int parent_;
  const std::string& name_;
  std::vector<struct stat> protected_;
  std::int64_t removed_ = 0;
  int refills_ = 0;
};

}  // namespace

Result<RemoveOutcome> remove_tree(const Call& call, FileEngine& engine, const os::Root::Leaf& leaf) {
  return TreeRemoval(call, engine, leaf).run();
}

}  // namespace berth::engine
