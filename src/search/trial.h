#pragma once

#include <cstddef>

#include "base/call.h"
#include "search/matcher.h"

namespace berth::search {

/// What is searched between two looks at the call, where lines allow it: some patterns take microseconds a byte.
inline constexpr std::size_t kStepBytes = 8 * 1024;

/// See whether the call lasts for a piece that must be matched in one go, a long line or a multiline piece: RE2 cannot
/// be interrupted in it. The piece is gone through in steps first, with a look at the call after each; matching it
/// whole takes about as long. `timed_out` when that would end after the deadline, `cancelled` when the call was.
/// A piece of one step, and any when the call has no end, is let through at once.
Result<void> try_out(const Call& call, const Matcher& matcher, BytesView piece);

}  // namespace berth::search
