#include "tools/send_input.h"

#include <fmt/format.h>

#include "tools/make_tool.h"
#include "tools/text.h"

namespace berth::tools {
namespace {

std::string render(const SendInputRequest& request, const SendInputResponse& response) {
  const auto given = static_cast<std::int64_t>(request.input.size());
  if (response.accepted_bytes < given) {
    return fmt::format("Its input is closed: {} of {} went in. See with check_command how it is.",
                       response.accepted_bytes, counted(given, "byte"));
  }
  return fmt::format("Sent {}{}.", counted(given, "byte"), response.open ? "" : "; its input is closed now");
}

}  // namespace

const Fields<SendInputRequest>& SendInputRequest::fields() {
  static const auto table = Fields<SendInputRequest>()
                                .field("id", &SendInputRequest::id, "Which command", kRequired)
                                .bytes("input", &SendInputRequest::input, "Taken as it is: a line needs its newline")
                                .field("close", &SendInputRequest::close, "End its input after that");
  return table;
}

const Fields<SendInputResponse>& SendInputResponse::fields() {
  static const auto table = Fields<SendInputResponse>()
                                .field("id", &SendInputResponse::id, "")
                                .field("accepted_bytes", &SendInputResponse::accepted_bytes, "")
                                .field("open", &SendInputResponse::open, "More may be sent");
  return table;
}

Result<SendInputResponse> send_input(const Call& call, ToolSession& session, const SendInputRequest& request) {
  BERTH_TRY(const auto outcome, session.workspace().write_job_stdin(call, {request.id}, request.input,
                                                                    request.close ? StdinEnd::close : StdinEnd::open));
  return SendInputResponse{.id = request.id, .accepted_bytes = outcome.accepted_bytes, .open = outcome.open};
}

std::unique_ptr<Tool> send_input_tool() {
  return make_tool<SendInputRequest, SendInputRequest, SendInputResponse>(
      {.info = {.name = "send_input",
                .title = "Write to a command's input",
                .description = "Write to the standard input of a command that start_command started, and end it with "
                               "`close`. On a terminal this is typing: \\u0003 interrupts.",
                .annotations = {.destructive = true, .open_world = true},
                .needs = {.jobs = true},
                .uses = {Operation::execute}},
       .to_request = [](const SendInputRequest& request) -> Result<SendInputRequest> { return request; },
       .operation = [](const Call& call, ToolSession& session, const SendInputRequest& request,
                       ProgressSink*) { return send_input(call, session, request); },
       .render = [](const SendInputRequest& request,
                    const SendInputResponse& response) { return render(request, response); },
       .render_error = nullptr});
}

}  // namespace berth::tools
