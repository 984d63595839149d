#include "engine/commands/supervisor/orphans.h"

#include <poll.h>
#include <sys/wait.h>

namespace berth::supervisor {

void end_orphans(ProcessTree& tree, const PidList& keepers) {
  const Selection orphans{.except = &keepers, .group = 0};
  PidList found;
  for (int sweep = 0; sweep < kOrphanSweeps; ++sweep) {
    for (std::size_t i = 0; i < found.size(); ++i) waitpid(found[i], nullptr, WNOHANG);
    if (!tree.list(orphans, found) || found.size() == 0) return;
    tree.freeze_and_kill(orphans);
    poll(nullptr, 0, sweep == 0 ? 1 : 10);
  }
}

}  // namespace berth::supervisor
