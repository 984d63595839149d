#include "tools/check_command.h"

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

std::string render(const HarnessOptions& options, const CheckCommandResponse& answer) {
  const auto& job = *answer.command;
  return command_text(options, answer.out->content, answer.err->content, "(no output yet)",
                      {job.has_ended() ? "[status: finished]" : "[status: running]", job_end(job)});
}

}  // namespace

std::unique_ptr<Tool> make_check_command(const HarnessOptions& options) {
  return make_tool<Arguments, Arguments, CheckCommandResponse>(
      {.info = {.name = "check_command",
                .title = "Look at a command in the background",
                .description = "Show the end of what a command in the background printed and whether it still runs: "
                               "`[status: running]`, or `[status: finished]` with its exit code.",
                .input_schema = {},
                .output_schema = {},
                .annotations = {.read_only = true, .idempotent = true},
                .needs = {.jobs = true},
                .uses = {Operation::execute}},
       .operation = [options](const Call& call, ToolSession& session, const Arguments& arguments,
                              ProgressSink*) { return job_answer(options, call, session, {arguments.command_id}); },
       .render = [options](const Arguments&, const CheckCommandResponse& answer) { return render(options, answer); },
       .render_error = [](const Arguments& arguments,
                          const Error& error) { return job_error(arguments.command_id, error); }});
}

}  // namespace berth::tools::harness
