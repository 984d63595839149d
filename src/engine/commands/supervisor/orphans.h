#pragma once

#include "engine/commands/supervisor/process_tree.h"

namespace berth::supervisor {

/// Sweeps of orphans, 10 ms apart, before one that may not be killed is given up.
inline constexpr int kOrphanSweeps = 500;

/// End everything below this process but `keepers` and what is below them.
void end_orphans(ProcessTree& tree, const PidList& keepers);

}  // namespace berth::supervisor
