#include <cmath>

#include <fmt/format.h>

#include "tools/harness/harness_internal.h"
#include "tools/make_tool.h"
#include "tools/start_command.h"
#include "tools/text.h"

namespace berth::tools::harness {
namespace {

constexpr std::int64_t kLongestTimeout = 270;
constexpr std::int64_t kShownBytes = 16'000;

enum class Mode { foreground, background };

std::span<const EnumName<Mode>> enum_names(Mode) {
  static constexpr EnumName<Mode> kNames[] = {{Mode::foreground, "foreground"}, {Mode::background, "background"}};
  return kNames;
}

struct Arguments {
  std::string command;
  Mode mode = Mode::foreground;
  std::optional<double> timeout;

  static const Fields<Arguments>& fields() {
    static const auto table =
        Fields<Arguments>()
            .field("command", &Arguments::command, "For /bin/sh", kRequired)
            .field("mode", &Arguments::mode, "foreground: wait for its end; background: answer at once")
            .field("timeout", &Arguments::timeout, "Seconds to wait in the foreground; it runs on after that",
                   {.minimum = 0, .maximum = kLongestTimeout});
    return table;
  }
};

Result<std::chrono::milliseconds> time_of(const HarnessOptions& options, const Arguments& arguments) {
  if (!arguments.timeout) return options.default_timeout;
  if (*arguments.timeout > 0) {
    return std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(*arguments.timeout * 1000)));
  }
  return make_error(ErrorCode::invalid_argument, "`timeout` must be more than 0 seconds").with("argument", "timeout");
}

// The end of a stream from the start of a line, and how much stands before it.
std::string end_of(const JobText& stream) {
  BytesView shown = stream.content;
  if (stream.offset > 0) {
    const auto line = shown.find('\n');
    if (line != BytesView::npos && line + 1 < shown.size()) shown.remove_prefix(line + 1);
  }
  const auto before = stream.total_bytes - static_cast<std::int64_t>(shown.size());
  std::string text = before > 0 ? fmt::format("[... {} before]\n", counted(before, "byte")) : std::string();
  text += shown;
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  return text;
}

Result<CheckCommandResponse> run(const HarnessOptions& options, const Call& call, ToolSession& session,
                                 const Arguments& arguments) {
  auto& workspace = session.workspace();
  BERTH_TRY(const auto time, time_of(options, arguments));
  StartCommandRequest request;
  request.command = arguments.command;
  request.input = StartCommandRequest::Input::none;
  BERTH_CHECK(session.permit(call, Operation::execute, request.command));
  // A start that is cut off may have started the command all the same, and nobody would know which it is.
  BERTH_CHECK(call.check());
  const Call starting{.trace_id = call.trace_id};
  BERTH_TRY(const auto job, permitted_start_command(starting, session, request));
  if (arguments.mode == Mode::foreground) {
    const auto waited = workspace.wait_job(call, job.id, time);
    if (!waited) {
      // Nobody is left who knows of it.
      BERTH_CHECK(workspace.stop_job(starting, job.id));
      return waited.error();
    }
  }
  CheckCommandResponse answer;
  BERTH_TRY(answer.command, workspace.job(call, job.id));
  BERTH_TRY(answer.out, job_text(call, session, job.id, JobStream::out, std::nullopt, kShownBytes));
  BERTH_TRY(answer.err, job_text(call, session, job.id, JobStream::err, std::nullopt, kShownBytes));
  return answer;
}

std::string text_of(const CheckCommandResponse& answer) {
  const auto& job = *answer.command;
  const auto err = end_of(*answer.err);
  const auto code = job.shell_status();
  return fmt::format(
      "{}{}{}PID: {} (supervised; end the whole process tree with stop_command)\n"
      "ID: {} (read on with check_command)\n{{\"pid\": {}, \"exit_code\": {}}}",
      end_of(*answer.out), err.empty() ? "" : "[stderr]\n", err, job.process, job.id.text, job.process,
      code ? std::to_string(*code) : "null");
}

}  // namespace

std::unique_ptr<Tool> make_shell(const HarnessOptions& options) {
  return make_tool<Arguments, Arguments, CheckCommandResponse>(
      {.info = {.name = "shell",
                .title = "Run a command that may run on",
                .description =
                    "Run a shell command. In the foreground, wait for its end at most `timeout` seconds; then, and in "
                    "the background, it runs on. Answers with the end of its output, its `ID` for check_command and "
                    "stop_command, and `exit_code`, which is null while it runs.",
                .input_schema = {},
                .output_schema = {},
                .annotations = {.destructive = true, .open_world = true},
                .needs = {.jobs = true},
                .uses = {Operation::execute}},
       .operation = [options](const Call& call, ToolSession& session, const Arguments& arguments,
                              ProgressSink*) { return run(options, call, session, arguments); },
       .render = [](const Arguments&, const CheckCommandResponse& answer) { return text_of(answer); },
       .render_error = kRenderError});
}

}  // namespace berth::tools::harness
