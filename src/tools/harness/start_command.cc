#include "tools/start_command.h"

#include <fmt/format.h>

#include "tools/harness/harness_internal.h"
#include "tools/make_tool.h"

namespace berth::tools::harness {
namespace {

struct Arguments {
  std::string command;

  static const Fields<Arguments>& fields() {
    static const auto table = Fields<Arguments>().field("command", &Arguments::command, "For /bin/sh", kRequired);
    return table;
  }
};

// As Python shows a string.
std::string python_quoted(std::string_view text) {
  const char quote = text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos ? '"' : '\'';
  std::string shown(1, quote);
  for (const char c : text) {
    if (c == quote || c == '\\') {
      shown += '\\';
      shown += c;
    } else if (c == '\n') {
      shown += "\\n";
    } else if (c == '\t') {
      shown += "\\t";
    } else if (c == '\r') {
      shown += "\\r";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      shown += c;
    }
  }
  return shown + quote;
}

}  // namespace

std::unique_ptr<Tool> make_start_command() {
  return make_tool<Arguments, StartCommandRequest, JobInfo>(
      {.info = {.name = "start_command",
                .title = "Start a command in the background",
                .description =
                    "Start a shell command that runs on by itself: a server, a watcher, a long build. Answers at once "
                    "with `ID: …`, for check_command and stop_command. It has no input. For a command that ends soon, "
                    "use run_command.",
                .input_schema = {},
                .output_schema = {},
                .annotations = {.destructive = true, .open_world = true},
                .needs = {.jobs = true},
                .uses = {Operation::execute}},
       .to_request = [](const Arguments& arguments) -> Result<StartCommandRequest> {
         StartCommandRequest request;
         request.command = arguments.command;
         request.input = StartCommandRequest::Input::none;
         return request;
       },
       .operation = [](const Call& call, ToolSession& session, const StartCommandRequest& request,
                       ProgressSink*) { return start_command(call, session, request); },
       .render =
           [](const Arguments& arguments, const JobInfo& job) {
             return fmt::format("Started background command: {}\nID: {}", python_quoted(arguments.command),
                                job.id.text);
           },
       .render_error = kRenderError});
}

}  // namespace berth::tools::harness
