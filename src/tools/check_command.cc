#include "tools/check_command.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "tools/make_tool.h"
#include "tools/text.h"

namespace berth::tools {
namespace {

constexpr std::int64_t kLongestWait = 600;
constexpr std::int64_t kStreamBytes = 32 * 1024;  ///< of one stream in one answer, as far as the session allows
constexpr std::size_t kCommandBytes = 80;

Result<void> wait_first(const Call& call, Workspace& workspace, const CheckCommandRequest& request) {
  if (request.wait <= 0) return {};
  const std::chrono::milliseconds time(static_cast<std::int64_t>(std::ceil(request.wait * 1000)));
  if (request.stdout_offset) {
    BERTH_CHECK(
        workspace.read_job(call, {request.id},
                           {.stream = JobStream::out, .offset = *request.stdout_offset, .max_bytes = 1, .wait = time}));
    return {};
  }
  BERTH_CHECK(workspace.wait_job(call, {request.id}, time));
  return {};
}

void add_stream(std::string& text, const JobText& stream, std::string_view label, std::string_view argument) {
  if (stream.total_bytes == 0) return;
  if (!label.empty()) text += fmt::format("[{}]\n", label);
  if (stream.dropped_bytes > 0) {
    text += fmt::format("... ({} no longer kept) ...\n", counted(stream.dropped_bytes, "byte"));
  } else if (stream.offset > 0) {
    text += fmt::format("... ({} before) ...\n", counted(stream.offset, "byte"));
  }
  text += decode_utf8(stream.content).text;
  if (!text.ends_with('\n')) text += '\n';
  if (stream.next_offset < stream.total_bytes) {
    text += fmt::format("... ({} more; go on with {}={})\n", stream.total_bytes - stream.next_offset, argument,
                        stream.next_offset);
  }
}

std::string list_of(const std::vector<JobInfo>& jobs) {
  if (jobs.empty()) return "No command was started in the background.";
  std::string text;
  for (const auto& job : jobs) {
    std::string command = job.script;
    for (const auto& word : job.argv) command += (command.empty() ? "" : " ") + word;
    text += fmt::format("{}: {}: {}\n", job_title(job), job_state_text(job), line_excerpt(command, kCommandBytes));
  }
  text.pop_back();
  return text;
}

}  // namespace

const Fields<CheckCommandRequest>& CheckCommandRequest::fields() {
  static const auto table =
      Fields<CheckCommandRequest>()
          .field("id", &CheckCommandRequest::id, "Which; absent: list all")
          .field("wait", &CheckCommandRequest::wait,
                 "Seconds to wait for its end, or, with stdout_offset, for more output",
                 {.minimum = 0, .maximum = kLongestWait})
          .field("stdout_offset", &CheckCommandRequest::stdout_offset,
                 "Read on from here, as next_offset said; absent: the end of the output", {.minimum = 0})
          .field("stderr_offset", &CheckCommandRequest::stderr_offset, "The same for its errors", {.minimum = 0});
  return table;
}

const Fields<CheckCommandResponse>& CheckCommandResponse::fields() {
  static const auto table = Fields<CheckCommandResponse>()
                                .field("command", &CheckCommandResponse::command, "")
                                .field("stdout", &CheckCommandResponse::out, "")
                                .field("stderr", &CheckCommandResponse::err, "")
                                .field("commands", &CheckCommandResponse::commands, "When no id was given");
  return table;
}

Result<CheckCommandResponse> check_command(const Call& call, ToolSession& session, const CheckCommandRequest& request) {
  auto& workspace = session.workspace();
  CheckCommandResponse response;
  if (request.id.empty()) {
    BERTH_TRY(response.commands, workspace.list_jobs(call));
    return response;
  }
  BERTH_CHECK(wait_first(call, workspace, request));
  // The state first: of a command that has ended, all output is there.
  const JobId id{request.id};
  BERTH_TRY(response.command, workspace.job(call, id));
  const auto most = std::clamp<std::int64_t>(session.options().max_page_bytes / 4, 16, kStreamBytes);
  BERTH_TRY(response.out, job_text(call, session, id, JobStream::out, request.stdout_offset, most));
  BERTH_TRY(response.err, job_text(call, session, id, JobStream::err, request.stderr_offset, most));
  return response;
}

std::string render(const CheckCommandResponse& response) {
  if (response.commands) return list_of(*response.commands);
  std::string text;
  add_stream(text, *response.out, "", "stdout_offset");
  add_stream(text, *response.err, "stderr", "stderr_offset");
  if (text.empty()) text = "(no output)\n";
  return text + fmt::format("[{}; read on with stdout_offset={}]", job_state_text(*response.command),
                            response.out->next_offset);
}

std::unique_ptr<Tool> check_command_tool() {
  return make_tool<CheckCommandRequest, CheckCommandResponse>(
      {.name = "check_command",
       .title = "Look at a command in the background",
       .description = "Tell whether a command that start_command started still runs, and what it printed: the end of "
                      "its output, or what follows an offset. Without an id it lists all commands. Output and end stay "
                      "readable after the command has ended.",
       .annotations = {.read_only = true, .idempotent = true},
       .needs = {.jobs = true},
       .uses = {Operation::execute}},
      check_command, render);
}

}  // namespace berth::tools
