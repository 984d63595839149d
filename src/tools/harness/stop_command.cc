#include "tools/stop_command.h"

#include <fmt/format.h>

#include "tools/harness/harness_internal.h"
#include "tools/make_tool.h"

namespace berth::tools::harness {
namespace {

struct Arguments {
  std::string command_id;

  static const Fields<Arguments>& fields() {
    static const auto table =
        Fields<Arguments>().field("command_id", &Arguments::command_id, "As start_command gave it", kRequired);
    return table;
  }
};

Result<CheckCommandResponse> stop(const HarnessOptions& options, const Call& call, ToolSession& session,
                                  const Arguments& arguments) {
  StopCommandRequest request;
  request.id = arguments.command_id;
  BERTH_CHECK(stop_command(call, session, request));
  return job_answer(options, call, session, {arguments.command_id});
}

std::string render(const HarnessOptions& options, const CheckCommandResponse& answer) {
  return command_text(options, answer.out->content, answer.err->content, "(no output)",
                      {"[stopped]", job_end(*answer.command)});
}

}  // namespace

std::unique_ptr<Tool> make_stop_command(const HarnessOptions& options) {
  return make_tool<Arguments, Arguments, CheckCommandResponse>(
      {.info = {.name = "stop_command",
                .title = "Stop a command in the background",
                .description = "End a command in the background with everything it started: it is asked first, then "
                               "killed. Answers with the end of its output, which stays readable.",
                .input_schema = {},
                .output_schema = {},
                .annotations = {.destructive = true, .idempotent = true, .open_world = true},
                .needs = {.jobs = true},
                .uses = {Operation::execute}},
       .operation = [options](const Call& call, ToolSession& session, const Arguments& arguments,
                              ProgressSink*) { return stop(options, call, session, arguments); },
       .render = [options](const Arguments&, const CheckCommandResponse& answer) { return render(options, answer); },
       .render_error = [](const Arguments& arguments,
                          const Error& error) { return job_error(arguments.command_id, error); }});
}

}  // namespace berth::tools::harness
