#include "tools/stop_command.h"

#include <cmath>

#include <fmt/format.h>

#include "tools/job_output.h"
#include "tools/make_tool.h"

namespace berth::tools {
namespace {

constexpr std::int64_t kLongestGrace = 600;

std::string render(const JobInfo& job) { return fmt::format("{}: {}", job_title(job), job_state_text(job)); }

}  // namespace

const Fields<StopCommandRequest>& StopCommandRequest::fields() {
  static const auto table =
      Fields<StopCommandRequest>()
          .field("id", &StopCommandRequest::id, "Which command", kRequired)
          .field("grace", &StopCommandRequest::grace, "Seconds to end by itself before it is killed",
                 {.minimum = 0, .maximum = kLongestGrace});
  return table;
}

Result<JobInfo> stop_command(const Call& call, ToolSession& session, const StopCommandRequest& request) {
  const std::chrono::milliseconds grace(static_cast<std::int64_t>(std::ceil(request.grace * 1000)));
  return session.workspace().stop_job(call, {request.id}, grace);
}

std::unique_ptr<Tool> stop_command_tool() {
  return make_tool<StopCommandRequest, JobInfo>(
      {.name = "stop_command",
       .title = "Stop a command in the background",
       .description = "End a command that start_command started, with everything it started: it is asked first, then "
                      "killed. Its output stays readable.",
       .annotations = {.destructive = true, .idempotent = true, .open_world = true},
       .needs = {.jobs = true},
       .uses = {Operation::execute}},
      stop_command, render);
}

}  // namespace berth::tools
