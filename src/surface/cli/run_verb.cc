#include <unistd.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "surface/cli/command_options.h"
#include "surface/cli/json_internal.h"
#include "surface/cli/standard_streams.h"
#include "surface/cli/verbs.h"

namespace berth::cli {
namespace {

constexpr int kBrokenPipe = 128 + 13;

struct RunArguments {
  CommandOptions command;
  std::optional<std::int64_t> output_limit;
};

// Hands output on as it comes. When nobody reads it any more, the command is stopped, as a pipeline would.
class LiveOutput final : public OutputSink {
 public:
  explicit LiveOutput(SignalWatch& signals) : signals_(signals) {}

  void write(Stream stream, BytesView bytes) override {
    if (write_errno_ != 0) return;
    write_errno_ = write_whole(stream == Stream::out ? STDOUT_FILENO : STDERR_FILENO, bytes);
    if (write_errno_ != 0) signals_.stop();
  }

  int write_errno() const noexcept { return write_errno_; }

 private:
  SignalWatch& signals_;
  int write_errno_ = 0;
};

std::string_view outcome_name(CommandOutcome::Kind kind) {
  switch (kind) {
    case CommandOutcome::Kind::exited: return "exited";
    case CommandOutcome::Kind::signaled: return "signaled";
    case CommandOutcome::Kind::timed_out: return "timed_out";
    case CommandOutcome::Kind::output_limited: return "output_limited";
    case CommandOutcome::Kind::cancelled: return "cancelled";
    case CommandOutcome::Kind::lost: return "lost";
  }
  return "lost";
}

int exit_code_of(const CommandOutcome& outcome) {
  switch (outcome.kind) {
    case CommandOutcome::Kind::output_limited: return error_info(ErrorCode::output_limited).exit_code;
    case CommandOutcome::Kind::cancelled: return error_info(ErrorCode::cancelled).exit_code;
    case CommandOutcome::Kind::lost: return error_info(ErrorCode::io).exit_code;
    default: return outcome.shell_status().value_or(error_info(ErrorCode::io).exit_code);
  }
}

double seconds_of(std::chrono::nanoseconds duration) { return std::chrono::duration<double>(duration).count(); }

void print_outcome(Session& session, const CommandOutcome& outcome) {
  Json object = {{"outcome", outcome_name(outcome.kind)}};
  if (outcome.kind == CommandOutcome::Kind::exited) object["exit_code"] = outcome.exit_code;
  if (outcome.kind == CommandOutcome::Kind::signaled) object["signal"] = outcome.signal;
  if (outcome.kind == CommandOutcome::Kind::lost) object["reason"] = outcome.reason;
  if (const auto status = outcome.shell_status()) object["shell_status"] = *status;
  object["stdout"] = to_json(outcome.out);
  object["stderr"] = to_json(outcome.err);
  object["duration_ms"] = std::chrono::duration<double, std::milli>(outcome.duration).count();
  object["survivors"] = outcome.survivors;
  print_json(session, object);
}

// Only what the command's own output and code do not say.
void note_outcome(Console& console, const CommandOutcome& outcome) {
  switch (outcome.kind) {
    case CommandOutcome::Kind::timed_out:
      console.note(fmt::format("berth: timed out after {:.1f} s; everything it started was ended ({} survivors)",
                               seconds_of(outcome.duration), outcome.survivors));
      break;
    case CommandOutcome::Kind::output_limited:
      console.note("berth: ended: it printed more than the output limit");
      break;
    case CommandOutcome::Kind::cancelled:
      console.note(fmt::format("berth: cancelled; everything it started was ended ({} survivors)", outcome.survivors));
      break;
    case CommandOutcome::Kind::lost: console.note(fmt::format("berth: lost: {}", outcome.reason)); break;
    case CommandOutcome::Kind::exited:
    case CommandOutcome::Kind::signaled: break;
  }
}

Result<CommandSpec> spec_of(const Session& session, Workspace& workspace, const RunArguments& arguments) {
  BERTH_TRY(auto spec, command_of(session, workspace, arguments.command));
  if (arguments.output_limit) {
    spec.output.limit = *arguments.output_limit;
  } else if (!session.json) {
    // What was printed need not be kept.
    spec.output.kind = OutputPolicy::Kind::keep;
  }
  return spec;
}

Result<int> run_command(Session& session, const RunArguments& arguments) {
  BERTH_TRY(Workspace * workspace, session.workspace_for(std::vector<Intent>{}));
  BERTH_TRY(const auto spec, spec_of(session, *workspace, arguments));
  BERTH_CHECK(session.permit(spec));
  if (session.json) {
    BERTH_TRY(const auto outcome, workspace->run(session.call(), spec));
    print_outcome(session, outcome);
    return exit_code_of(outcome);
  }
  LiveOutput live(session.signals);
  BERTH_TRY(const auto outcome, workspace->run(session.call(), spec, &live));
  if (live.write_errno() == EPIPE) return kBrokenPipe;
  if (live.write_errno() != 0) return errno_error(live.write_errno(), "write the command's output");
  note_outcome(session.console, outcome);
  return exit_code_of(outcome);
}

}  // namespace

void add_run_verb(CLI::App& app, Session& session) {
  auto arguments = std::make_shared<RunArguments>();
  auto* verb = app.add_subcommand("run", "Run a command in the workspace");
  add_command_options(*verb, arguments->command);
  verb->add_option("--output-limit", arguments->output_limit, "End it when it prints more bytes than this")
      ->type_name("N");
  verb->footer(
      "The command's words follow after `--` and are taken literally: no shell, no expansion.\n"
      "Exits with the command's own code, 128+N after signal N, 127 not found, 126 not executable,\n"
      "124 on a timeout (what was printed until then is kept). Its environment is an allow-list: PATH, HOME,\n"
      "LANG, TERM and the like, and --env.\n"
      "  berth run --timeout 60 -- make test\n"
      "  berth run --env LEVEL=3 -c 'echo $LEVEL | tee out.txt'");
  verb->callback(
      [&session, arguments] { session.action = [&session, arguments] { return run_command(session, *arguments); }; });
}

}  // namespace berth::cli
