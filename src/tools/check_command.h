#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/job_output.h"

namespace berth::tools {

struct CheckCommandRequest {
  std::string id;                             ///< empty: which commands there are
  double wait = 0;                            ///< seconds
  std::optional<std::int64_t> stdout_offset;  ///< absent: the end of the output
  std::optional<std::int64_t> stderr_offset;

  static const Fields<CheckCommandRequest>& fields();
};

/// One command with what it printed, or all of them without.
struct CheckCommandResponse {
  std::optional<JobInfo> command;
  std::optional<JobText> out;
  std::optional<JobText> err;
  std::optional<std::vector<JobInfo>> commands;

  static const Fields<CheckCommandResponse>& fields();
  bool operator==(const CheckCommandResponse&) const = default;
};

/// See how a command in the background is and what it printed. With `wait`, first wait until it has ended, or, when an
/// offset is given, until it has printed more than that on standard output. Errors: `not_found`, `offset_out_of_range`.
Result<CheckCommandResponse> check_command(const Call& call, ToolSession& session, const CheckCommandRequest& request);

std::string render(const CheckCommandResponse& response);

std::unique_ptr<Tool> check_command_tool();

}  // namespace berth::tools
