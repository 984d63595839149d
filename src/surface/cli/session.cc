#include "surface/cli/session.h"

namespace berth::cli {

Result<Workspace*> Session::workspace() {
  if (!workspace_) {
    BERTH_TRY(workspace_, assemble(config));
  }
  return workspace_.get();
}

}  // namespace berth::cli
