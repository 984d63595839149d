#include "tools/execute.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "tools/make_tool.h"
#include "tools/text.h"
#include "tools/value_fields.h"

namespace berth::tools {
namespace {

using Kind = CommandOutcome::Kind;

constexpr std::int64_t kLongest = 24 * 3600;
constexpr std::chrono::milliseconds kProgressPause{100};
constexpr std::size_t kProgressLine = 200;

// Tells of output as it comes, ten times a second at most.
class OutputProgress final : public OutputSink {
 public:
  explicit OutputProgress(ProgressSink& sink) : sink_(sink) {}

  void write(Stream, BytesView bytes) override {
    total_ += static_cast<double>(bytes.size());
    const auto now = Clock::now();
    if (now < next_) return;
    next_ = now + kProgressPause;
    while (bytes.ends_with('\n')) bytes.remove_suffix(1);
    const auto newline = bytes.rfind('\n');
    const auto line = newline == BytesView::npos ? bytes : bytes.substr(newline + 1);
    sink_.progress(total_, 0, line_excerpt(line, kProgressLine));
  }

 private:
  ProgressSink& sink_;
  double total_ = 0;
  Clock::time_point next_{};
};

// Where the last character that is whole ends.
std::size_t whole_characters(BytesView bytes) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, bytes.size()); ++back) {
    const auto byte = static_cast<unsigned char>(bytes[bytes.size() - back]);
    if ((byte & 0xc0) == 0x80) continue;
    const std::size_t length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.size() - back : bytes.size();
  }
  return bytes.size();
}

// A gap cuts no character in two; the halves count as dropped.
void cut_between_characters(StreamOutput& output) {
  if (output.dropped_bytes() <= 0) return;
  output.head.resize(whole_characters(output.head));
  std::size_t partial = 0;
  while (partial < std::min<std::size_t>(3, output.tail.size()) &&
         (static_cast<unsigned char>(output.tail[partial]) & 0xc0) == 0x80) {
    ++partial;
  }
  output.tail.erase(0, partial);
}

double seconds_of(std::chrono::nanoseconds duration) { return std::chrono::duration<double>(duration).count(); }

std::string end_of(const CommandOutcome& outcome) {
  const auto survivors =
      outcome.survivors > 0 ? fmt::format("; {} could not be ended", counted(outcome.survivors, "process", "processes"))
                            : std::string("; everything it started was ended");
  switch (outcome.kind) {
    case Kind::exited: return fmt::format("[exit code {}]", outcome.exit_code);
    case Kind::signaled: return fmt::format("[ended by signal {}]", outcome.signal);
    case Kind::timed_out: return fmt::format("[timed out after {:.1f} s{}]", seconds_of(outcome.duration), survivors);
    case Kind::output_limited: return fmt::format("[ended: it printed too much{}]", survivors);
    case Kind::cancelled: return fmt::format("[cancelled{}]", survivors);
    case Kind::lost: return fmt::format("[its end is not known: {}]", outcome.reason);
  }
  return "";
}

void end_line(std::string& text) {
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
}

}  // namespace

const Fields<ExecuteRequest>& ExecuteRequest::fields() {
  static const auto table =
      Fields<ExecuteRequest>()
          .bytes("command", &ExecuteRequest::command, "For /bin/sh", kRequired)
          .field("timeout", &ExecuteRequest::timeout, "Seconds; then it is ended with everything it started",
                 {.minimum = 0, .maximum = kLongest})
          .bytes("cwd", &ExecuteRequest::cwd, "The directory to start in")
          .field("env", &ExecuteRequest::env, "Variables to set besides")
          .bytes("stdin", &ExecuteRequest::stdin_bytes, "Its standard input; absent: empty");
  return table;
}

const Fields<ExecuteResponse>& ExecuteResponse::fields() {
  static const auto table =
      Fields<ExecuteResponse>()
          .computed(
              "outcome", [](const ExecuteResponse& one) { return one.outcome.kind; }, "How it ended")
          .computed(
              "exit_code",
              [](const ExecuteResponse& one) {
                return one.outcome.kind == Kind::exited ? std::optional<std::int64_t>(one.outcome.exit_code)
                                                        : std::nullopt;
              },
              "127: not found, 126: not executable")
          .computed(
              "signal",
              [](const ExecuteResponse& one) {
                return one.outcome.kind == Kind::signaled ? std::optional<std::int64_t>(one.outcome.signal)
                                                          : std::nullopt;
              },
              "")
          .computed(
              "reason",
              [](const ExecuteResponse& one) {
                return one.outcome.kind == Kind::lost ? std::optional(one.outcome.reason) : std::nullopt;
              },
              "Why its end is not known")
          .computed(
              "shell_status",
              [](const ExecuteResponse& one) -> std::optional<std::int64_t> { return one.outcome.shell_status(); },
              "The number that a shell would show")
          .computed(
              "stdout", [](const ExecuteResponse& one) { return one.outcome.out; }, "")
          .computed(
              "stderr", [](const ExecuteResponse& one) { return one.outcome.err; }, "")
          .computed(
              "duration_ms",
              [](const ExecuteResponse& one) {
                return std::chrono::duration<double, std::milli>(one.outcome.duration).count();
              },
              "")
          .computed(
              "survivors", [](const ExecuteResponse& one) { return one.outcome.survivors; },
              "Processes that could not be ended");
  return table;
}

Result<ExecuteResponse> execute(const Call& call, ToolSession& session, const ExecuteRequest& request,
                                ProgressSink* progress) {
  if (!(request.timeout > 0)) {
    return make_error(ErrorCode::invalid_argument, "`timeout` must be more than 0 seconds").with("argument", "timeout");
  }
  BERTH_CHECK(session.permit(call, Operation::execute, request.command));
  if (request.command.find_first_not_of(" \t\n") == Bytes::npos) {
    const Bytes message = "empty command\n";
    return ExecuteResponse{{.kind = Kind::exited,
                            .exit_code = 127,
                            .err = {.head = message, .total_bytes = static_cast<std::int64_t>(message.size())}}};
  }
  CommandSpec spec;
  spec.script = request.command;
  BERTH_TRY(spec.cwd, session.workspace().resolve(request.cwd));
  for (const auto& [name, value] : request.env) spec.env.emplace_back(name, value);
  spec.stdin_bytes = request.stdin_bytes;
  spec.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(request.timeout * 1000)));
  // More of the end: that is where a failing command says why.
  spec.output = {
      .kind = OutputPolicy::Kind::keep, .head = limits::kToolOutput / 4, .tail = limits::kToolOutput / 4 * 3};
  std::optional<OutputProgress> sink;
  if (progress != nullptr) sink.emplace(*progress);
  BERTH_TRY(auto outcome, session.workspace().run(call, spec, sink ? &*sink : nullptr));
  cut_between_characters(outcome.out);
  cut_between_characters(outcome.err);
  return ExecuteResponse{std::move(outcome)};
}

std::string render(const StreamOutput& output) {
  std::string text = decode_utf8(output.head).text;
  if (output.dropped_bytes() == 0) return text;
  end_line(text);
  text += fmt::format("... ({} left out) ...\n", counted(output.dropped_bytes(), "byte"));
  return text + decode_utf8(output.tail).text;
}

std::string render(const ExecuteResponse& response) {
  const auto& outcome = response.outcome;
  std::string text = render(outcome.out);
  end_line(text);
  if (outcome.err.total_bytes > 0) {
    text += "[stderr]\n" + render(outcome.err);
    end_line(text);
  }
  if (text.empty()) text = "(no output)\n";
  return text + end_of(outcome);
}

std::unique_ptr<Tool> execute_tool() {
  return make_tool<ExecuteRequest, ExecuteRequest, ExecuteResponse>(
      {.info = {.name = "execute",
                .title = "Run a command",
                .description = "Run a shell command to its end and answer with its output and exit code; a long output "
                               "loses its middle. Nothing carries over to the next call: no directory, no variables. A "
                               "failing command is an answer, not an error.",
                .annotations = {.destructive = true, .open_world = true},
                .needs = {.commands = true},
                .uses = {Operation::execute}},
       .to_request = [](const ExecuteRequest& request) -> Result<ExecuteRequest> { return request; },
       .operation = execute,
       .render = [](const ExecuteRequest&, const ExecuteResponse& response) { return render(response); },
       .render_error = nullptr});
}

}  // namespace berth::tools
