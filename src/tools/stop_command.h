#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "tools/job_fields.h"
#include "tools/tool_session.h"

namespace berth::tools {

struct StopCommandRequest {
  std::string id;
  double grace = std::chrono::duration<double>(limits::kTermGrace).count();  ///< seconds

  static const Fields<StopCommandRequest>& fields();
};

/// End a command in the background with everything it started; the response is the job as it ended, also when it had
/// ended before. Errors: those of `JobControl::stop`.
Result<JobInfo> stop_command(const Call& call, ToolSession& session, const StopCommandRequest& request);

std::unique_ptr<Tool> stop_command_tool();

}  // namespace berth::tools
