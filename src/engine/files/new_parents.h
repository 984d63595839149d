#pragma once

#include <vector>

#include "base/call.h"
#include "os/root.h"

namespace berth::engine {

/// Which leaf a path means.
enum class LeafLinks {
  keep,   ///< the leaf itself, also when it is a link
  follow  ///< what a link at the leaf finally names
};

/// The parents of a path, made where they are missing, and unmade when the call that needed them fails.
///
/// Unmade on destruction unless `keep` was called; a parent that others have put something into stays.
class NewParents {
 public:
  /// Resolve the leaf of a path. `Parents::must_exist` makes nothing. Errors: as `Root::parent_of`.
  static Result<NewParents> resolve(const Call& call, const os::Root& root, const Path& path, LeafLinks links,
                                    os::Root::Parents parents);

  NewParents(NewParents&& other) noexcept;
  NewParents& operator=(NewParents&&) = delete;
  ~NewParents();

  const os::Root::Leaf& leaf() const noexcept { return leaf_; }
  /// The directories that were missing, deepest first.
  const std::vector<Path>& made() const noexcept { return made_; }
  /// The change was done: they stay.
  void keep() noexcept { keep_ = true; }

 private:
  NewParents(const os::Root& root, os::Root::Leaf leaf) : root_(&root), leaf_(std::move(leaf)) {}

  static Result<NewParents> make(const Call& call, const os::Root& root, const Path& path, LeafLinks links);
  void unmake() noexcept;

  const os::Root* root_;
  os::Root::Leaf leaf_;
  std::vector<Path> made_;
  bool keep_ = false;
};

}  // namespace berth::engine
