#pragma once

#include <functional>

#include "contract/capabilities.h"

namespace berth {

enum class WalkBelow : std::uint8_t { go_on, stop };

/// Visit everything inside a directory, in no order, until a visit stops it. Nothing is done for what is no directory
/// or is missing. Links are visited and not entered: removing a tree does not follow them.
Result<void> walk_below(const Call& call, FileReads& reads, const Path& top,
                        const std::function<WalkBelow(const Path& path)>& visit);

}  // namespace berth
