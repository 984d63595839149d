#pragma once

#include <vector>

#include "policy/rules/permission_gate.h"
#include "workspace/patch/patch.h"

namespace berth {

/// Whether a patch is applied, or only worked out and shown.
enum class PatchUse : std::uint8_t { apply, look };

/// What applying a patch does, for one question about all of it: changing a file is `edit`; making, removing and both
/// ends of a move are `write`; what is copied is `read`. Looking only is `read` of all these.
std::vector<Intent> intents_of(const Patch& patch, PatchUse use = PatchUse::apply);

}  // namespace berth
