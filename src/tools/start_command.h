#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "tools/job_fields.h"
#include "tools/tool_session.h"

namespace berth::tools {

struct StartCommandRequest {
  /// No argument: a profile's choice.
  enum class Input { open, none };

  Bytes command;  ///< for `/bin/sh -c`
  std::string name;
  Bytes cwd = ".";
  std::map<std::string, std::string> env;
  std::optional<double> timeout;  ///< seconds; absent: none
  bool terminal = false;
  Input input = Input::open;

  static const Fields<StartCommandRequest>& fields();
};

/// Start a command in the background; the response is the job as it is then. Errors: those of `JobControl::start`.
Result<JobInfo> start_command(const Call& call, ToolSession& session, const StartCommandRequest& request);
/// The same for a caller that asked for permission already.
Result<JobInfo> permitted_start_command(const Call& call, ToolSession& session, const StartCommandRequest& request);

std::unique_ptr<Tool> start_command_tool();

}  // namespace berth::tools
