#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "workspace/patch/patch.h"

namespace berth {

/// Read the `*** Begin Patch` form:
///
///     *** Begin Patch
///     *** Add File: PATH         every line of it begins with `+`
///     *** Delete File: PATH
///     *** Update File: PATH
///     *** Move to: PATH          optional
///     @@ LINE ABOVE              optional, also several; alone: only a border between hunks
///      context, -removed, +added
///     *** End of File            optional: the hunk ends where the file ends
///     *** End Patch
///
/// Paths are relative to the workspace and taken as they are. White space around the marker lines and blank lines
/// between files do not count. What stands before the first or after the last marker is an error, except for blank
/// lines. A patch whose every line ends with CRLF is read as if with LF.
Result<Patch> parse_begin_patch(BytesView text);

}  // namespace berth
