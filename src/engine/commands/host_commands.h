#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "contract/capabilities.h"
#include "os/root.h"

namespace berth::engine {

struct CommandOptions {
  /// What every command's environment holds beside the allow-listed variables of this process (C-RUN-1).
  std::vector<std::pair<std::string, Bytes>> env;
};

/// Commands in one host directory (C-RUN 1–7 and 9), through a supervisor process that is started on first use and
/// ends with this object. Processes that a finished command left behind live on.
std::unique_ptr<CommandRunner> make_host_commands(std::shared_ptr<const os::Root> root, CommandOptions options);

}  // namespace berth::engine
