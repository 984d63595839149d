#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/call.h"
#include "surface/assemble.h"
#include "surface/cli/console.h"
#include "surface/cli/signals.h"

namespace berth::cli {

/// One run of the program: the options before the verb, and what the verb needs to do its work.
struct Session {
  WorkspaceConfig config;
  std::string color = "auto";  ///< auto, always or never
  bool json = false;

  Console console;
  SignalWatch signals;

  /// What the chosen verb does; gives the exit code.
  std::function<Result<int>()> action;
  /// The words after `--` of `run` and `jobs start`.
  std::vector<std::string> command_words;

  /// A call that SIGINT and SIGTERM stop.
  Call call() const { return Call{Deadline::never(), signals.token(), {}}; }

  /// Open the workspace, once.
  Result<Workspace*> workspace();

 private:
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace berth::cli
