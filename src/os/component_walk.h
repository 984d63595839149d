#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "os/root.h"

namespace berth::os {

/// Resolves one path one component at a time, where openat2 is missing or must not decide.
///
/// It holds the directories it came through as O_PATH descriptors, opens single components with O_NOFOLLOW, reads a
/// link from the descriptor it holds, and answers `..` in a link from what it holds; so whatever others rename
/// meanwhile, it never stands outside the root. Gives the answers of openat2 with RESOLVE_BENEATH, and besides follows
/// absolute links whose target lies below one of the root's names. At most 40 links, as in the kernel.
/// One object serves one call. Memory and descriptors are bounded: of a deep path the last 64 directories are held.
class ComponentWalk {
 public:
  struct Start {
    int fd;
    LinkPolicy links;
    std::span<const std::string> names;
  };

  enum class LeafLink { keep, follow };

  ComponentWalk(const Call& call, Start start) : call_(call), start_(start) {}

  /// As `Root::open_path`; `flags` are complete.
  Result<Fd> open(const Path& path, int flags);
  /// As `Root::parent_of` (keep) and `Root::parent_of_target` (follow).
  Result<Root::Leaf> parent(const Path& path, Root::Parents parents, LeafLink leaf_link);
  /// As `Root::real_path`.
  Result<Path> real_path(const Path& path);

 private:
  enum class Missing { fail, make, keep };

  /// One directory on the way. No descriptor: it is missing, or too far up to be held.
  struct Step {
    std::string name;
    Fd fd;
  };

  /// What stands under a name.
  struct Found {
    enum class Kind { nothing, link, directory, other };
    Kind kind = Kind::nothing;
    std::string target;  ///< of a link
  };

  void begin(const Path& path, Missing missing);
  /// Walk until one name is left (`leaf_`), or none (empty: the place is the directory itself).
  Result<void> to_leaf();
  /// Go on from the leaf while it is a link.
  Result<void> follow_leaf();
  Result<Fd> open_here(int flags);
  Result<void> enter(std::string name);
  Result<void> up();
  Result<void> check_searchable() const;
  Result<Found> look_at(const std::string& name) const;
  Result<void> expand(std::string_view target);
  /// Fail when the call is over or the path changed under the walk too often.
  Result<void> again();
  void push(std::string name, Fd fd);
  void pend(std::string_view relative);
  bool name_pending() const noexcept;
  int top() const noexcept { return steps_.empty() ? start_.fd : steps_.back().fd.get(); }
  Path place() const;

  const Call& call_;
  Start start_;
  Missing missing_ = Missing::fail;
  std::vector<Step> steps_;           ///< from the root down
  std::size_t missing_steps_ = 0;     ///< how many of the last steps do not exist
  std::vector<std::string> pending_;  ///< still to walk, the next one last
  std::string leaf_;
  int links_ = 0;
  int retries_ = 0;
};

}  // namespace berth::os
