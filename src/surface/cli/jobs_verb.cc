#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "surface/cli/command_options.h"
#include "surface/cli/input.h"
#include "surface/cli/json_internal.h"
#include "surface/cli/standard_streams.h"
#include "surface/cli/verbs.h"
#include "tools/job_fields.h"

namespace berth::cli {
namespace {

constexpr int kBrokenPipe = 128 + 13;
/// One wait of a follower; the next one begins at once.
constexpr std::chrono::milliseconds kFollowWait{60'000};

struct JobArguments {
  std::string id;
  std::string name;
  std::string key;
  bool terminal = false;
  CommandOptions command;
  std::string stream;
  std::int64_t offset = 0;
  std::optional<std::int64_t> max_bytes;
  bool follow = false;
  std::optional<double> timeout_seconds;
  bool close = false;
  std::string signal;
  std::optional<double> grace_seconds;
};

Json to_json(const JobInfo& job) { return tools::fields_of<JobInfo>().write(job); }

Error wrong(std::string message) { return make_error(ErrorCode::invalid_argument, std::move(message)); }

/// By its id, or by the name that one job alone has.
Result<JobInfo> find_job(Session& session, Workspace& workspace, const std::string& id) {
  auto job = workspace.job(session.call(), {id});
  if (job || job.error().code != ErrorCode::not_found) return job;
  BERTH_TRY(auto jobs, workspace.list_jobs(session.call()));
  std::erase_if(jobs, [&](const JobInfo& one) { return one.name != id; });
  if (jobs.size() == 1) return std::move(jobs.front());
  if (jobs.size() > 1) {
    auto error = wrong(fmt::format("{} jobs have this name", jobs.size()));
    error.hint = "name one by its id; `berth jobs` lists them";
    return error;
  }
  auto error = std::move(job).error();
  error.hint = "`berth jobs` lists those there are";
  return error;
}

Result<std::chrono::milliseconds> milliseconds_of(double seconds, std::string_view what) {
  constexpr double kLongest = 1e9;
  if (!std::isfinite(seconds) || seconds < 0) return wrong(fmt::format("the {} is no number of seconds", what));
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(std::min(seconds, kLongest) * 1000)));
}

/// `TERM`, `SIGTERM` or `15`.
Result<int> signal_number(const std::string& text) {
  constexpr int kLastSignal = 64;
  std::string name = text;
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (name.starts_with("SIG")) name.erase(0, 3);
  for (int number = 1; number <= kLastSignal; ++number) {
    const char* known = sigabbrev_np(number);
    if ((known != nullptr && name == known) || text == std::to_string(number)) return number;
  }
  auto error = wrong(fmt::format("`{}` is no signal", text));
  error.hint = "give a name such as TERM, INT or HUP, or a number";
  return error;
}

std::string state_text(const JobInfo& job) {
  switch (job.state) {
    case JobState::running: return "running";
    case JobState::exited: return fmt::format("exited {}", job.exit_code);
    case JobState::signaled: {
      const char* name = sigabbrev_np(job.signal);
      return name == nullptr ? fmt::format("signal {}", job.signal) : fmt::format("signal {}", name);
    }
    case JobState::lost: return "lost";
  }
  return "lost";
}

Tone state_tone(const JobInfo& job) {
  if (job.state == JobState::running) return Tone::number;
  return job.shell_status() == 0 ? Tone::good : Tone::bad;
}

std::string command_text(const JobInfo& job) {
  if (job.argv.empty()) return job.script;
  std::string text;
  for (const auto& word : job.argv) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string age_text(std::chrono::milliseconds duration) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  if (seconds < 60) return fmt::format("{}s", seconds);
  if (seconds < 3600) return fmt::format("{}m{:02}s", seconds / 60, seconds % 60);
  return fmt::format("{}h{:02}m", seconds / 3600, seconds / 60 % 60);
}

Result<int> list_jobs(Session& session) {
  BERTH_TRY(Workspace * workspace, session.workspace());
  BERTH_TRY(const auto jobs, workspace->list_jobs(session.call()));
  if (session.json) {
    Json list = Json::array();
    for (const auto& job : jobs) list.push_back(to_json(job));
    print_json(session, {{"jobs", std::move(list)}});
    return 0;
  }
  for (const auto& job : jobs) {
    constexpr std::size_t kCommandBytes = 80;
    session.console.out(Tone::path, fmt::format("{:<24}", job.id.text));
    session.console.out(state_tone(job), fmt::format("  {:<12}", state_text(job)));
    session.console.out(Tone::dim, fmt::format("{:>8}  ", age_text(job.duration)));
    if (!job.name.empty()) {
      session.console.out_name(Tone::plain, job.name);
      session.console.out("  ");
    }
    // One line a job, whatever its script holds.
    session.console.out(escape_for_terminal(utf8_prefix(command_text(job), kCommandBytes)));
    session.console.out("\n");
  }
  return 0;
}

Result<int> show_job(Session& session, const JobInfo& job) {
  if (session.json) {
    print_json(session, to_json(job));
    return 0;
  }
  session.console.out(fmt::format("{}\n", job.id.text));
  return 0;
}

Result<int> start_job(Session& session, const JobArguments& arguments) {
  BERTH_TRY(Workspace * workspace, session.workspace());
  JobSpec spec;
  BERTH_TRY(spec.command, command_of(session, *workspace, arguments.command));
  spec.command.run_id = arguments.key;
  spec.name = arguments.name;
  if (arguments.terminal) spec.terminal = TerminalSize{};
  BERTH_TRY(const auto job, workspace->start_job(session.call(), spec));
  return show_job(session, job);
}

/// Print a stream from an offset on; an errno value when standard output or error does not take it.
Result<int> print_stream(const Call& call, Workspace& workspace, const JobId& id, JobRead request,
                         const JobArguments& arguments) {
  const int to = request.stream == JobStream::out ? STDOUT_FILENO : STDERR_FILENO;
  std::int64_t left = arguments.max_bytes.value_or(std::numeric_limits<std::int64_t>::max());
  if (arguments.follow) request.wait = kFollowWait;
  while (left > 0) {
    request.max_bytes = std::min(limits::kPageBytes, left);
    BERTH_TRY(const auto page, workspace.read_job(call, id, request));
    if (const int error = write_whole(to, page.content); error != 0) return error;
    left -= static_cast<std::int64_t>(page.content.size());
    const bool at_end = page.next_offset >= page.total_bytes;
    request.offset = page.next_offset;
    if (page.ended || (at_end && !arguments.follow)) break;
  }
  return 0;
}

Result<int> print_output(Session& session, Workspace& workspace, const JobInfo& job, const JobArguments& arguments) {
  session.console.flush();
  const auto print = [&](JobStream stream) {
    return print_stream(session.call(), workspace, job.id, {.stream = stream, .offset = arguments.offset}, arguments);
  };
  Result<int> written[2] = {0, 0};
  if (arguments.stream.empty()) {
    std::jthread errors([&] { written[1] = print(JobStream::err); });
    written[0] = print(JobStream::out);
  } else {
    written[0] = print(arguments.stream == "err" ? JobStream::err : JobStream::out);
  }
  for (const auto& result : written) {
    if (!result) return result.error();
    if (*result == EPIPE) return kBrokenPipe;
    if (*result != 0) return errno_error(*result, "write the job's output");
  }
  return 0;
}

Result<int> read_job(Session& session, const JobArguments& arguments) {
  BERTH_TRY(Workspace * workspace, session.workspace());
  BERTH_TRY(const auto job, find_job(session, *workspace, arguments.id));
  if (arguments.stream.empty() && arguments.offset != 0) {
    auto error = wrong("an offset is of one stream");
    error.hint = "say which with --stream out or --stream err";
    return error;
  }
  if (!session.json) return print_output(session, *workspace, job, arguments);
  JobRead request{.stream = arguments.stream == "err" ? JobStream::err : JobStream::out, .offset = arguments.offset};
  if (arguments.max_bytes) request.max_bytes = *arguments.max_bytes;
  if (arguments.follow) request.wait = kFollowWait;
  BERTH_TRY(const auto page, workspace->read_job(session.call(), job.id, request));
  Json object = {{"id", job.id.text}, {"stream", request.stream == JobStream::out ? "out" : "err"}};
  put_bytes(object, "content", page.content);
  object["offset"] = page.offset;
  object["next_offset"] = page.next_offset;
  object["dropped_bytes"] = page.dropped_bytes;
  object["total_bytes"] = page.total_bytes;
  object["ended"] = page.ended;
  print_json(session, object);
  return 0;
}

/// The job's own code, as `run` has it.
int exit_code_of(const JobInfo& job) {
  if (job.state == JobState::running) return error_info(ErrorCode::timed_out).exit_code;
  return job.shell_status().value_or(error_info(ErrorCode::io).exit_code);
}

Result<int> wait_job(Session& session, const JobArguments& arguments) {
  BERTH_TRY(Workspace * workspace, session.workspace());
  BERTH_TRY(const auto job, find_job(session, *workspace, arguments.id));
  std::optional<std::chrono::milliseconds> at_most;
  if (arguments.timeout_seconds) {
    BERTH_TRY(at_most, milliseconds_of(*arguments.timeout_seconds, "timeout"));
  }
  BERTH_TRY(const auto now, workspace->wait_job(session.call(), job.id, at_most));
  if (session.json) {
    print_json(session, to_json(now));
  } else if (now.state == JobState::running) {
    session.console.note("berth: the job still runs");
  } else if (now.state == JobState::lost) {
    session.console.note(fmt::format("berth: lost: {}", now.reason));
  }
  return exit_code_of(now);
}

Result<int> write_job(Session& session, const JobArguments& arguments) {
  BERTH_TRY(Workspace * workspace, session.workspace());
  BERTH_TRY(const auto job, find_job(session, *workspace, arguments.id));
  BERTH_TRY(const auto content, read_standard_input(session.call()));
  BERTH_TRY(const auto outcome, workspace->write_job_stdin(session.call(), job.id, content,
                                                           arguments.close ? StdinEnd::close : StdinEnd::open));
  if (session.json) {
    print_json(session, {{"id", job.id.text}, {"accepted_bytes", outcome.accepted_bytes}, {"open", outcome.open}});
  } else if (outcome.accepted_bytes < static_cast<std::int64_t>(content.size())) {
    session.console.note(
        fmt::format("berth: its input is closed; it took {} of {} bytes", outcome.accepted_bytes, content.size()));
  }
  return outcome.accepted_bytes < static_cast<std::int64_t>(content.size()) ? 1 : 0;
}

Result<int> signal_job(Session& session, const JobArguments& arguments) {
  BERTH_TRY(const int number, signal_number(arguments.signal));
  BERTH_TRY(Workspace * workspace, session.workspace());
  BERTH_TRY(const auto job, find_job(session, *workspace, arguments.id));
  BERTH_TRY(const auto outcome, workspace->signal_job(session.call(), job.id, number));
  const bool delivered = outcome == SignalOutcome::delivered;
  if (session.json) {
    print_json(session, {{"id", job.id.text}, {"delivered", delivered}});
  } else if (!delivered) {
    session.console.note("berth: the job had ended already");
  }
  return delivered ? 0 : 1;
}

Result<int> stop_job(Session& session, const JobArguments& arguments) {
  BERTH_TRY(const auto grace,
            milliseconds_of(arguments.grace_seconds.value_or(std::chrono::duration<double>(limits::kTermGrace).count()),
                            "grace"));
  BERTH_TRY(Workspace * workspace, session.workspace());
  BERTH_TRY(const auto job, find_job(session, *workspace, arguments.id));
  BERTH_TRY(const auto now, workspace->stop_job(session.call(), job.id, grace));
  if (session.json) {
    print_json(session, to_json(now));
  } else if (now.survivors > 0) {
    session.console.note(fmt::format("berth: {} of its processes could not be ended", now.survivors));
  }
  return now.survivors > 0 ? error_info(ErrorCode::io).exit_code : 0;
}

Result<int> forget_job(Session& session, const JobArguments& arguments) {
  BERTH_TRY(Workspace * workspace, session.workspace());
  BERTH_TRY(const auto job, find_job(session, *workspace, arguments.id));
  BERTH_CHECK(workspace->forget_job(session.call(), job.id));
  if (session.json) print_json(session, {{"id", job.id.text}, {"forgotten", true}});
  return 0;
}

using Action = Result<int> (*)(Session&, const JobArguments&);

struct Group {
  CLI::App& jobs;
  Session& session;

  /// A verb below `jobs` that does `act`.
  CLI::App* add(const char* name, const char* what, const std::shared_ptr<JobArguments>& arguments, Action act) const {
    auto* verb = jobs.add_subcommand(name, what);
    verb->group("Verbs");
    auto& work = session;
    verb->callback(
        [&work, arguments, act] { work.action = [&work, arguments, act] { return act(work, *arguments); }; });
    return verb;
  }

  CLI::App* add_for_job(const char* name, const char* what, const std::shared_ptr<JobArguments>& arguments,
                        Action act) const {
    auto* verb = add(name, what, arguments, act);
    verb->add_option("id", arguments->id, "Which: its id, or the name that no other job has")
        ->type_name("ID")
        ->required();
    return verb;
  }
};

void add_start(const Group& group) {
  auto arguments = std::make_shared<JobArguments>();
  auto* verb = group.add("start", "Start a command in the background; prints its id", arguments, start_job);
  verb->add_option("--name", arguments->name, "A name for people, taken in place of the id")->type_name("N");
  verb->add_flag("--pty", arguments->terminal, "Run it on a terminal of its own");
  verb->add_option("--key", arguments->key, "Start it once: a repeated start with this key gives the same job")
      ->type_name("KEY");
  add_command_options(*verb, arguments->command);
  verb->footer(
      "It runs on when this program, its caller and the terminal are gone. Its standard input stays open for\n"
      "`berth jobs write`; with --stdin it is read now and ends there. Everything else is as for `berth run`.\n"
      "  id=$(berth jobs start --name server -- python3 -m http.server 8000)\n"
      "  berth jobs start --key nightly-build -c 'make all && make test'");
}

void add_read(const Group& group) {
  auto arguments = std::make_shared<JobArguments>();
  auto* verb = group.add_for_job("read", "Print a job's output, also while it runs", arguments, read_job);
  verb->add_option("--stream", arguments->stream, "out or err; without it each goes where it belongs")
      ->type_name("STREAM")
      ->check(CLI::IsMember({"out", "err"}));
  verb->add_option("--offset", arguments->offset, "Begin at this byte of the stream")->type_name("N");
  verb->add_option("--max-bytes", arguments->max_bytes, "Print at most so many bytes of a stream")->type_name("N");
  verb->add_flag("-f,--follow", arguments->follow, "Wait for more until the job has ended");
  verb->footer(
      "Output is kept when the job has ended, until it is forgotten. With --json one page is printed, of `out` unless\n"
      "--stream says otherwise; next_offset is where to read on, and --follow waits for the first byte.\n"
      "  berth jobs read -f server\n"
      "  berth --json jobs read server --stream err --offset 4096");
}

void add_others(const Group& group) {
  auto waiting = std::make_shared<JobArguments>();
  auto* wait = group.add_for_job("wait", "Wait until a job has ended; exits with its code", waiting, wait_job);
  wait->add_option("--timeout", waiting->timeout_seconds, "At most so many seconds; still running then is 124")
      ->type_name("S");

  auto writing = std::make_shared<JobArguments>();
  auto* write = group.add_for_job("write", "Write standard input to a job's input", writing, write_job);
  write->add_flag("--close", writing->close, "End its input after that; on a terminal, type the end-of-file key");
  write->footer("  echo 'print(1+1)' | berth jobs write python --close");

  auto signalling = std::make_shared<JobArguments>();
  auto* signal = group.add_for_job("signal", "Send a signal to a job's process group", signalling, signal_job);
  signal->add_option("signal", signalling->signal, "TERM, INT, HUP, ... or a number; KILL ends all that it started")
      ->type_name("SIG")
      ->required();

  auto stopping = std::make_shared<JobArguments>();
  auto* stop =
      group.add_for_job("stop", "End a job with everything it started: TERM, a grace, KILL", stopping, stop_job);
  stop->add_option("--grace", stopping->grace_seconds, "Seconds between TERM and KILL (2)")->type_name("S");

  auto forgetting = std::make_shared<JobArguments>();
  group.add_for_job("forget", "Remove the record and the output of an ended job", forgetting, forget_job);
}

}  // namespace

void add_jobs_verb(CLI::App& app, Session& session) {
  auto* jobs = app.add_subcommand("jobs", "Commands in the background: start, list, read, wait, stop, ...");
  jobs->require_subcommand(0, 1);
  const Group group{*jobs, session};
  group.add("list", "List the jobs of the workspace, the oldest first (the default)", std::make_shared<JobArguments>(),
            [](Session& now, const JobArguments&) { return list_jobs(now); });
  add_start(group);
  add_read(group);
  add_others(group);
  jobs->footer(
      "A job runs on when `berth` has ended, and every later `berth` in the workspace finds it. What it printed and "
      "how\n"
      "it ended are kept for 7 days, or until `forget`. ID may be the job's name.\n"
      "  berth jobs start --name build -- make     start it\n"
      "  berth jobs read -f build                  see what it prints\n"
      "  berth jobs wait build                     exit as it did\n"
      "  berth jobs stop build                     end it and all it started");
  // The library calls it after those of the verbs below.
  jobs->callback([&session] {
    if (!session.action) session.action = [&session] { return list_jobs(session); };
  });
}

}  // namespace berth::cli
