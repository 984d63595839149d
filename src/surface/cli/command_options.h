#pragma once

#include <string>
#include <vector>

#include "contract/commands.h"
#include "surface/cli/session.h"

namespace CLI {
class App;
}

namespace berth::cli {

/// What a command line says about a command, whether it is run or started as a job.
struct CommandOptions {
  double timeout_seconds = 0;
  std::vector<std::string> env;
  std::string cwd = ".";
  std::string script;
  bool take_stdin = false;
};

/// Add them to a verb. `options` must outlive it.
void add_command_options(CLI::App& verb, CommandOptions& options);

/// The command that they and the words after `--` describe.
Result<CommandSpec> command_of(const Session& session, Workspace& workspace, const CommandOptions& options);

}  // namespace berth::cli
