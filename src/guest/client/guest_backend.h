#pragma once

#include <memory>
#include <optional>
#include <string>

#include "guest/client/connection.h"
#include "guest/protocol/operations.h"
#include "workspace/backend.h"

namespace berth::guest {

struct BackendOptions {
  std::string provider;   ///< whose environment it is
  std::string isolation;  ///< what the provider put between commands and the host
  Confinement confinement = Confinement::root;
  std::optional<WorkspaceRef> ref;          ///< absent: `provider`, and `INCARNATION:/name/of/the/directory` as the id
  std::optional<std::string> resource_key;  ///< absent: the guest's, which holds for its machine only
  OpenRequest open;                         ///< what the guest serves
};

/// An environment that a guest serves: greets it, opens the directory, and answers with every capability that the guest
/// has. All of them may be used from many threads at once, and honour the call as those of the engine do: the guest
/// does the work, its answers and its errors come back as they are. Deadlines are those of the client's clock.
///
/// Beside the errors of each method: `environment_gone` when the guest ended, with the field `reason`, and `protocol`
/// when it cannot be understood; then every later call fails the same way, and a provider opens a new stream. After
/// `timed_out` and `cancelled` a change may still happen, or have happened. A `run_id` is remembered by the guest, and
/// ends with it. A message (one file, one answer) holds at most 1 GiB: `too_large`.
///
/// Errors of opening: those of the connection, `not_found`, `not_a_directory`, `permission_denied`, and
/// `environment_gone` when the directory is not the incarnation that was asked for.
Result<std::unique_ptr<Backend>> open_backend(const Call& call, Channel channel, BackendOptions options);

}  // namespace berth::guest
