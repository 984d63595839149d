#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "workspace/patch/patch.h"

namespace berth {

/// Read a unified diff, of git or of diff (C-PATCH-1).
///
/// Text around the files' parts (a mail, a commit message) is passed over, as by `git apply`; but a part that is begun
/// and cannot be read, and lines after a hunk that its header does not count, are errors, never passed over. Names are
/// decoded once, here. One leading component is taken from names, as by `git apply -p1`, when the two names of a file
/// show that it is a prefix (it differs, or it is one letter); names without a slash are taken as they are. The last
/// line may lack its LF. Format: git-diff(1), "Generating patch text with -p"; GNU diffutils, "Detailed Description of
/// Unified Format"; git's apply.c.
Result<Patch> parse_unified_diff(BytesView text);

}  // namespace berth
