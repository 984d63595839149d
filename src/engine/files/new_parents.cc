#include "engine/files/new_parents.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace berth::engine {
namespace {

/// A try fails only because another process removed a parent that was just made.
constexpr int kAttempts = 64;

Result<os::Root::Leaf> find_leaf(const Call& call, const os::Root& root, const Path& path, LeafLinks links,
                                 os::Root::Parents parents) {
  return links == LeafLinks::follow ? root.parent_of_target(call, path, parents) : root.parent_of(call, path, parents);
}

/// The missing directories above a path, deepest first.
std::vector<Path> missing_above(const Call& call, const os::Root& root, const Path& path) {
  std::vector<Path> missing;
  for (Path above = path.parent(); !above.is_root(); above = above.parent()) {
    const auto opened = root.open_path(call, above, O_PATH | O_DIRECTORY);
    if (opened || opened.error().code != ErrorCode::not_found) break;
    missing.push_back(above);
  }
  return missing;
}

}  // namespace

Result<NewParents> NewParents::resolve(const Call& call, const os::Root& root, const Path& path, LeafLinks links,
                                       os::Root::Parents parents) {
  auto existing = find_leaf(call, root, path, links, os::Root::Parents::must_exist);
  if (existing) return NewParents(root, std::move(*existing));
  const bool makes = parents == os::Root::Parents::make && existing.error().code == ErrorCode::not_found;
  if (!makes) return std::move(existing).error();

  for (int attempt = 1;; ++attempt) {
    BERTH_CHECK(call.check());
    auto made = make(call, root, path, links);
    const bool vanished = !made && made.error().code == ErrorCode::not_found;
    if (!vanished || attempt == kAttempts) return made;
  }
}

Result<NewParents> NewParents::make(const Call& call, const os::Root& root, const Path& path, LeafLinks links) {
  // Seen before they are made: afterwards nobody can tell which ones are new.
  Path real;
  if (links == LeafLinks::follow) {
    BERTH_TRY(real, root.real_path(call, path));
  } else {
    BERTH_TRY(const Path parent, root.real_path(call, path.parent()));
    real = parent.child(path.name());
  }
  std::vector<Path> missing = missing_above(call, root, real);
  auto leaf = find_leaf(call, root, path, links, os::Root::Parents::make);
  NewParents made(root, leaf ? std::move(*leaf) : os::Root::Leaf{});
  made.made_ = std::move(missing);
  if (!leaf) return std::move(leaf).error();
  return made;
}

NewParents::NewParents(NewParents&& other) noexcept
    : root_(other.root_),
      leaf_(std::move(other.leaf_)),
      made_(std::exchange(other.made_, {})),
      keep_(std::exchange(other.keep_, true)) {}

NewParents::~NewParents() {
  if (!keep_) unmake();
}

void NewParents::unmake() noexcept {
  // The call may be the reason for giving up (cancelled, late); tidying does not wait for anything.
  const Call tidy;
  for (const Path& path : made_) {
    const auto leaf = root_->parent_of(tidy, path, os::Root::Parents::must_exist);
    if (!leaf) continue;  // making stopped above it
    if (unlinkat(leaf->directory.get(), leaf->name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT) return;
  }
}

}  // namespace berth::engine
