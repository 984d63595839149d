#include "tools/execute.h"

#include <fmt/format.h>

#include "tools/console/console_internal.h"
#include "tools/line_layouts.h"
#include "tools/make_tool.h"

namespace berth::tools::console {
namespace {

using Kind = CommandOutcome::Kind;

constexpr std::size_t kOutputCharacters = 100'000;
constexpr int kStatusUnknown = 1;

struct Arguments {
  std::string command;
  std::int64_t timeout = std::chrono::duration_cast<std::chrono::seconds>(limits::kToolCommandTime).count();

  static const Fields<Arguments>& fields() {
    static const auto table =
        Fields<Arguments>()
            .field("command", &Arguments::command, "For /bin/sh", kRequired)
            .field("timeout", &Arguments::timeout, "Seconds; then it is ended with everything it started",
                   {.minimum = 1, .maximum = 24 * 3600});
    return table;
  }
};

std::string output_of(const CommandOutcome& outcome) {
  std::string text = tools::render(outcome.out) + tools::render(outcome.err);
  const auto kept = first_characters(text, kOutputCharacters);
  if (kept.size() == text.size()) return text;
  return std::string(kept) + "\n\n... (output truncated)";
}

// Why a command has no exit code of its own; empty when it has.
std::string reason_of(const Arguments& arguments, const CommandOutcome& outcome) {
  switch (outcome.kind) {
    case Kind::exited:
    case Kind::signaled: return "";
    case Kind::timed_out: return fmt::format("Error: ended after {} s with everything it started\n", arguments.timeout);
    case Kind::output_limited: return "Error: ended because it printed too much\n";
    case Kind::cancelled: return "Error: cancelled\n";
    case Kind::lost: return fmt::format("Error: how it ended is not known: {}\n", outcome.reason);
  }
  return "";
}

std::string render(const Arguments& arguments, const ExecuteResponse& response) {
  const auto output = output_of(response.outcome);
  const auto status = response.outcome.shell_status();
  if (status == 0) return output;
  return fmt::format("Command failed (exit code {}):\n{}{}", status.value_or(kStatusUnknown),
                     reason_of(arguments, response.outcome), output);
}

}  // namespace

std::unique_ptr<Tool> make_execute() {
  return make_tool<Arguments, ExecuteRequest, ExecuteResponse>(
      {.info = {.name = "execute",
                .title = "Run a command",
                .description = "Run a shell command to its end. Answers with what it printed, errors last; a failure "
                               "begins with its exit code. A long output loses its middle. Nothing carries over to the "
                               "next call: no directory, no variables.",
                .input_schema = {},
                .output_schema = {},
                .annotations = {.destructive = true, .open_world = true},
                .needs = {.commands = true},
                .uses = {Operation::execute}},
       .to_request = [](const Arguments& arguments) -> Result<ExecuteRequest> {
         ExecuteRequest request;
         request.command = arguments.command;
         request.timeout = static_cast<double>(arguments.timeout);
         return request;
       },
       .operation = execute,
       .render = render,
       .render_error = kRenderError<Steering::never_retries>});
}

}  // namespace berth::tools::console
