#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "tools/execute.h"
#include "tools/harness/harness_internal.h"
#include "tools/line_layouts.h"
#include "tools/make_tool.h"

namespace berth::tools::harness {
namespace {

using Kind = CommandOutcome::Kind;

struct Arguments {
  std::string command;
  std::optional<double> timeout_seconds;

  static const Fields<Arguments>& fields() {
    static const auto table =
        Fields<Arguments>()
            .field("command", &Arguments::command, "For /bin/sh", kRequired)
            .field("timeout_seconds", &Arguments::timeout_seconds, "Then it is ended with everything it started",
                   {.minimum = 0, .maximum = 24 * 3600});
    return table;
  }
};

double timeout_of(const HarnessOptions& options, const Arguments& arguments) {
  return arguments.timeout_seconds.value_or(std::chrono::duration<double>(options.default_timeout).count());
}

// As Python writes a float: `30.0`, `0.5`.
std::string seconds_text(double seconds) {
  const auto text = fmt::format("{}", seconds);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string end_of(const CommandOutcome& outcome, double timeout) {
  switch (outcome.kind) {
    case Kind::exited: return outcome.exit_code == 0 ? "" : fmt::format("[exit code: {}]", outcome.exit_code);
    case Kind::signaled: return fmt::format("[exit code: {}]", 128 + outcome.signal);
    case Kind::timed_out: return fmt::format("[Command timed out after {}s]", seconds_text(timeout));
    case Kind::output_limited: return "[ended: it printed too much]";
    case Kind::cancelled: return "[cancelled]";
    case Kind::lost: return fmt::format("[how it ended is not known: {}]", outcome.reason);
  }
  return "";
}

std::string render(const HarnessOptions& options, const Arguments& arguments, const ExecuteResponse& response) {
  return command_text(options, tools::render(response.outcome.out), tools::render(response.outcome.err), "(no output)",
                      {end_of(response.outcome, timeout_of(options, arguments))});
}

}  // namespace

std::string command_text(const HarnessOptions& options, const std::string& out, const std::string& err,
                         std::string_view nothing, const std::vector<std::string>& ends) {
  std::vector<std::string> parts;
  if (!out.empty()) parts.push_back("[stdout]\n" + out);
  if (!err.empty()) parts.push_back("[stderr]\n" + err);
  if (parts.empty()) parts.emplace_back(nothing);
  for (const auto& end : ends) {
    if (!end.empty()) parts.push_back(end);
  }
  return last_characters(options, fmt::format("{}", fmt::join(parts, "\n")));
}

std::string last_characters(const HarnessOptions& options, const std::string& text) {
  const auto all = static_cast<std::int64_t>(count_characters(text));
  if (all <= options.max_output_chars) return text;
  const auto notice = [](std::int64_t kept) {
    return fmt::format("[... output truncated, showing last {} chars]\n", kept);
  };
  // The notice counts too, and its length hangs on the number in it.
  const auto room = [&](std::int64_t kept) {
    return std::max<std::int64_t>(0, options.max_output_chars - static_cast<std::int64_t>(notice(kept).size()));
  };
  const auto kept = room(room(options.max_output_chars));
  const auto dropped = first_characters(text, static_cast<std::size_t>(all - kept));
  return notice(kept) + text.substr(dropped.size());
}

std::unique_ptr<Tool> make_run_command(const HarnessOptions& options) {
  return make_tool<Arguments, ExecuteRequest, ExecuteResponse>(
      {.info = {.name = "run_command",
                .title = "Run a command",
                .description =
                    "Run a shell command to its end. Answers with `[stdout]`, `[stderr]` and, when it failed, "
                    "`[exit code: N]`; a long output loses its middle, then its beginning. Nothing carries "
                    "over to the next call. For what runs long, use start_command.",
                .input_schema = {},
                .output_schema = {},
                .annotations = {.destructive = true, .open_world = true},
                .needs = {.commands = true},
                .uses = {Operation::execute}},
       .to_request = [options](const Arguments& arguments) -> Result<ExecuteRequest> {
         ExecuteRequest request;
         request.command = arguments.command;
         request.timeout = timeout_of(options, arguments);
         return request;
       },
       .operation = execute,
       .render = [options](const Arguments& arguments,
                           const ExecuteResponse& response) { return render(options, arguments, response); },
       .render_error = kRenderError});
}

}  // namespace berth::tools::harness
