#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "tools/fields.h"
#include "tools/tool_session.h"

namespace berth::tools {

struct ExecuteRequest {
  Bytes command;                                                                     ///< for `/bin/sh -c`
  double timeout = std::chrono::duration<double>(limits::kToolCommandTime).count();  ///< seconds
  Bytes cwd = ".";
  std::map<std::string, std::string> env;
  std::optional<Bytes> stdin_bytes;

  static const Fields<ExecuteRequest>& fields();
};

/// What the command did. Both streams are kept from both ends, cut between characters and counted exactly.
struct ExecuteResponse {
  CommandOutcome outcome;

  static const Fields<ExecuteResponse>& fields();
  bool operator==(const ExecuteResponse&) const = default;
};

/// Run a command to its end. What it did is the response, also when it failed, timed out or was cancelled; an empty
/// command is one that was not found (127, C-RUN-9). While it runs, `progress` (may be null) hears how many bytes it
/// printed, and its last line. Errors: those of `CommandRunner::run`.
Result<ExecuteResponse> execute(const Call& call, ToolSession& session, const ExecuteRequest& request,
                                ProgressSink* progress);

std::string render(const ExecuteResponse& response);

std::unique_ptr<Tool> execute_tool();

/// What was kept of a stream, and between head and tail how much was not.
std::string render(const StreamOutput& output);

}  // namespace berth::tools
