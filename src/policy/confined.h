#pragma once

#include <memory>

#include "workspace/backend.h"

namespace berth {

/// Narrow a workspace to one of its directories: a view whose root is that directory.
///
/// Paths are the view's own, in arguments and results; absolute names of the inner root followed by the directory
/// are names of the view's root. A link that leads out of the view is `path_escape`, also where it stays inside the
/// inner workspace, and whatever is exchanged in between (see RealTargets). Commands start inside the view, `cwd` is
/// checked as any path, but what they then do is bounded by the environment only. Of jobs those are
/// seen that were started inside the view.
///
/// The directory is looked up when the environment is first used, then kept by its real name: a link put in its place
/// later is `path_escape`. The ref names the whole environment: who attaches by it must confine again.
/// Errors of `ensure`: `not_found`, `not_a_directory`.
std::unique_ptr<Backend> make_confined(std::unique_ptr<Backend> inner, Path directory);

}  // namespace berth
