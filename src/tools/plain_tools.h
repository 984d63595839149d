#pragma once

#include <memory>
#include <vector>

#include "tools/tool.h"

namespace berth::tools {

/// The tools of the profile `plain`, in the order they are offered in.
std::vector<std::unique_ptr<Tool>> plain_tools();

}  // namespace berth::tools
