#include "tools/start_command.h"

#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "tools/job_output.h"
#include "tools/make_tool.h"

namespace berth::tools {
namespace {

constexpr std::int64_t kLongestTimeout = 30 * 24 * 3600;

std::string render(const JobInfo& job) {
  return fmt::format("Started {}. Read its output with check_command.", job_title(job));
}

}  // namespace

const Fields<StartCommandRequest>& StartCommandRequest::fields() {
  static const auto table =
      Fields<StartCommandRequest>()
          .bytes("command", &StartCommandRequest::command, "For /bin/sh", kRequired)
          .field("name", &StartCommandRequest::name, "A name for people", {.maximum = 255})
          .bytes("cwd", &StartCommandRequest::cwd, "The directory to start in")
          .field("env", &StartCommandRequest::env, "Variables to set besides")
          .field("timeout", &StartCommandRequest::timeout,
                 "Seconds; then it is ended with everything it started. Absent: it may run for ever",
                 {.minimum = 0, .maximum = kLongestTimeout})
          .field("terminal", &StartCommandRequest::terminal, "Run it on a terminal, for programs that want one");
  return table;
}

Result<JobInfo> start_command(const Call& call, ToolSession& session, const StartCommandRequest& request) {
  BERTH_CHECK(session.permit(call, Operation::execute, request.command));
  return permitted_start_command(call, session, request);
}

Result<JobInfo> permitted_start_command(const Call& call, ToolSession& session, const StartCommandRequest& request) {
  JobSpec spec;
  spec.command.script = request.command;
  spec.name = request.name;
  BERTH_TRY(spec.command.cwd, session.workspace().resolve(request.cwd));
  for (const auto& [name, value] : request.env) spec.command.env.emplace_back(name, value);
  if (request.timeout) {
    if (!(*request.timeout > 0)) {
      return make_error(ErrorCode::invalid_argument, "`timeout` must be more than 0 seconds")
          .with("argument", "timeout");
    }
    spec.command.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(*request.timeout * 1000)));
  }
  if (request.terminal) spec.terminal = TerminalSize{};
  if (request.input == StartCommandRequest::Input::none) spec.command.stdin_bytes = Bytes();
  return session.workspace().start_job(call, spec);
}

std::unique_ptr<Tool> start_command_tool() {
  return make_tool<StartCommandRequest, JobInfo>(
      {.name = "start_command",
       .title = "Start a command in the background",
       .description =
           "Start a shell command that runs on by itself: a server, a watcher, a long build. Answers at once "
           "with its id, for check_command, send_input and stop_command. It takes input until that is "
           "closed. For a command that ends soon, use execute.",
       .annotations = {.destructive = true, .open_world = true},
       .needs = {.jobs = true},
       .uses = {Operation::execute}},
      start_command, render);
}

}  // namespace berth::tools
