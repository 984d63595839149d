#pragma once

#include <vector>

#include "policy/rules/permission_gate.h"
#include "workspace/patch/patch.h"

namespace berth {

/// What applying a patch does, for one question about all of it: changing a file is `edit`; making, removing and both
/// ends of a move are `write`; what is copied is `read`.
std::vector<Intent> intents_of(const Patch& patch);

}  // namespace berth
