#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "base/call.h"
#include "base/result.h"
#include "os/fd.h"
#include "os/features.h"
#include "path/path.h"

namespace berth::os {

/// A name on the host, as a provider or a surface was given it. Only opening a root takes one.
struct HostPath {
  std::string text;

  bool operator==(const HostPath&) const = default;
};

/// What symbolic links in a path may do (C-PATH-5).
enum class LinkPolicy {
  follow_inside,  ///< follow links whose target, relative or absolute, lies inside the root
  refuse          ///< any link in the path is `path_escape`
};

struct RootOptions {
  LinkPolicy links = LinkPolicy::follow_inside;
  Features features;
};

/// A directory from which nothing outside can be reached, held by descriptor.
///
/// Confinement is the kernel's: openat2 with RESOLVE_BENEATH and RESOLVE_NO_MAGICLINKS, or, where that is missing or a
/// link is absolute, a walk of single components with O_NOFOLLOW that never leaves the handles it holds. What is
/// checked is what is used: every call returns or acts on a descriptor. All methods are safe from many threads.
/// Errors: `path_escape`, `symlink_loop`, `not_found`, `not_a_directory`, `permission_denied`, `name_too_long`,
/// `environment_gone` when the root directory itself was deleted, `timed_out` and `cancelled` from the call.
class Root {
 public:
  /// Pin a directory. `not_found` or `not_a_directory` when there is none.
  static Result<std::shared_ptr<Root>> open(const HostPath& path, RootOptions options);

  virtual ~Root() = default;
  Root(const Root&) = delete;
  Root& operator=(const Root&) = delete;

  /// The pinned directory (O_PATH | O_DIRECTORY).
  virtual int fd() const noexcept = 0;
  virtual dev_t device() const noexcept = 0;
  virtual ino_t inode() const noexcept = 0;
  virtual const RootOptions& options() const noexcept = 0;
  /// The absolute names of the root: as given, and as the kernel resolves it.
  virtual const std::vector<std::string>& names() const noexcept = 0;
  /// Whether the directory was deleted.
  virtual bool gone() const noexcept = 0;

  /// Open what a path leads to, links followed as the policy says. `flags` are open(2) flags; O_CLOEXEC and O_NOCTTY
  /// are added. Does not create: use `parent_of` and a single-component call.
  virtual Result<Fd> open_path(const Call& call, const Path& path, int flags) const = 0;

  /// A directory handle and one name in it, ready for a single-component `*at` call. The name was not looked at.
  struct Leaf {
    Fd directory;      ///< O_PATH | O_DIRECTORY; usable with *at calls
    std::string name;  ///< one component, never ".", ".." or empty
    Path path;         ///< where the leaf really is: links in the given path resolved, root-relative
  };

  enum class Parents { must_exist, make };

  /// Resolve the parent of a path; the leaf itself is not followed. The root itself: `invalid_argument`.
  /// `make` creates missing parents (mode 0777 under the umask), one component at a time, never through a link that
  /// appears meanwhile.
  virtual Result<Leaf> parent_of(const Call& call, const Path& path, Parents parents) const = 0;

  /// As `parent_of`, and when the leaf is a link, go on to the parent of what it finally names (which may be missing).
  virtual Result<Leaf> parent_of_target(const Call& call, const Path& path, Parents parents) const = 0;

  /// Resolve every link; missing last components stay as they are (C-PATH-2 `realpath`).
  virtual Result<Path> real_path(const Call& call, const Path& path) const = 0;

 protected:
  Root() = default;
};

}  // namespace berth::os
