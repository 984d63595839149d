#include "surface/cli/app.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "surface/cli/help.h"
#include "surface/cli/json_internal.h"
#include "surface/cli/standard_streams.h"
#include "surface/cli/tree_internal.h"
#include "surface/cli/verbs.h"

namespace berth::cli {
namespace {

constexpr int kBrokenPipe = 128 + 13;

constexpr const char* kFooter =
    "WORKSPACE is a directory, state:FILE.json, or a ref that `berth ref` printed. File verbs open nothing outside "
    "it.\n\n"
    "With --json one object is printed, {\"error\": {\"code\": …}} when the verb fails; the exit code says the same.\n"
    "\n"
    "  berth ls                                   what is here\n"
    "  berth grep -i todo src --glob '*.cc'       find text by a pattern\n"
    "  berth read README.md --lines 1:20          a page of a file\n"
    "  berth edit a.txt --old red --new blue      replace text, see the diff\n"
    "  berth run --timeout 60 -- make test        a timeout ends all it started\n"
    "  berth jobs start --name web -- ./serve     a command that runs on\n"
    "  berth -w state:notes.json write todo.txt   the same on a JSON document\n"
    "\n"
    "`berth VERB --help` says more about each.";

void add_global_options(CLI::App& app, Session& session) {
  app.add_option("-w,--workspace", session.config.location, "Where to work (the current directory)")
      ->type_name("WORKSPACE");
  app.add_flag("--json", session.json, "Print one JSON object");
  app.add_option("--color", session.color, "auto, always or never; auto honours NO_COLOR")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  app.add_flag_callback(
      "--attach", [&session] { session.config.missing = WorkspaceConfig::Missing::refuse; },
      "WORKSPACE is a ref: never make what is missing");
  app.add_option("--below", session.config.below, "Narrow the workspace to one of its directories")->type_name("PATH");
  app.add_flag_callback(
      "--read-only", [&session] { session.config.access = Access::read_only; }, "Refuse every change and command");
  app.add_flag_callback(
      "--protect", [&session] { session.config.sensitive = default_sensitive_policy(); },
      "Keep file verbs from secrets, and from changing what other programs execute, such as .git");
  app.add_option("--rules", session.rules,
                 "Keep to permission rules: a .toml or .json file, or preset:NAME (see `berth rules --help`)")
      ->type_name("RULES");
  app.add_flag_callback(
      "--no-links", [&session] { session.config.links = os::LinkPolicy::refuse; }, "Refuse paths with a symbolic link");
  app.add_flag_callback(
      "--durable", [&session] { session.config.durability = engine::Durability::durable; },
      "Sync each change to the medium before going on");
  app.add_option("--audit", session.config.audit_file, "Append a line for each change and command to this file")
      ->type_name("FILE");
}

// The position of `--` when the verb before it takes a command (`run`, `jobs start`): the words after it are the
// command's, whatever they look like.
std::size_t command_mark(const CLI::App& app, const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "run" || words[i] == "jobs") {
      return static_cast<std::size_t>(std::find(words.begin() + static_cast<std::ptrdiff_t>(i), words.end(), "--") -
                                      words.begin());
    }
    if (!words[i].starts_with("-")) break;
    const auto* option = app.get_option_no_throw(words[i]);
    if (option != nullptr && takes_value(*option)) ++i;
  }
  return words.size();
}

Error usage_error(const CLI::App& app, const CLI::ParseError& failure) {
  const auto chosen = app.get_subcommands();
  std::string message = failure.what();
  if (const auto extra = app.remaining(true);
      !extra.empty() && dynamic_cast<const CLI::ExtrasError*>(&failure) != nullptr) {
    message = extra.front().starts_with("-") ? fmt::format("there is no option `{}` here", extra.front())
              : chosen.empty()               ? fmt::format("there is no verb `{}`", extra.front())
                                             : fmt::format("`{}` is one argument too many", extra.front());
  }
  if (!message.empty()) message[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(message[0])));
  while (!message.empty() && (message.back() == '.' || message.back() == '\n')) message.pop_back();
  auto error = make_error(ErrorCode::invalid_argument, decode_utf8(message).text);
  const auto* verb = chosen.empty() ? nullptr : chosen.front();
  // The innermost verb: that of `berth jobs start` is `start`.
  while (verb != nullptr && !verb->get_subcommands().empty()) verb = verb->get_subcommands().front();
  if (verb == nullptr) {
    error.hint = "see `berth --help`";
  } else if (takes_command(*verb)) {
    error.hint = fmt::format("write the command after `--`; see `{} --help`", name_of(*verb));
  } else {
    error.hint = fmt::format("see `{} --help`", name_of(*verb));
  }
  return error;
}

int fail(Session& session, const Error& error) {
  if (session.json) {
    print_json(session, {{"error", to_json(error)}});
  } else {
    session.console.error(error);
  }
  return error_info(error.code).exit_code;
}

int finish(Session& session, int code) {
  if (session.console.flush()) return code;
  const int reason = session.console.write_errno();
  if (reason == EPIPE) return kBrokenPipe;
  auto error = errno_error(reason, "write the output");
  error.hint = "only the output is lost; what the verb changed stays";
  session.console.error(error);
  return error_info(error.code).exit_code;
}

int do_verb(Session& session) {
  try {
    auto code = session.action();
    return code ? *code : fail(session, code.error());
  } catch (const std::exception& fault) {
    return fail(session, make_error(ErrorCode::internal, decode_utf8(fault.what()).text));
  }
}

}  // namespace

std::unique_ptr<CLI::App, void (*)(CLI::App*)> make_app(Session& session) {
  std::unique_ptr<CLI::App, void (*)(CLI::App*)> app(
      new CLI::App("Berth: files and commands of a workspace, for people and agents.", "berth"),
      [](CLI::App* owned) { delete owned; });
  use_help(*app);
  app->set_help_flag("-h,--help", "Show this help");
  app->require_subcommand(0, 1);
  app->fallthrough();
  // As everywhere on a command line: the last word on an option counts.
  app->option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  add_global_options(*app, session);
  const auto group = [&](const char* title, void (*add)(CLI::App&, Session&)) {
    const auto known = verbs_of(*app).size();
    add(*app, session);
    const auto verbs = app->get_subcommands([](CLI::App*) { return true; });
    for (std::size_t i = known; i < verbs.size(); ++i) verbs[i]->group(title);
  };
  group("Find and read", add_listing_verbs);
  group("Find and read", add_grep_verb);
  group("Find and read", add_reading_verbs);
  group("Git", add_git_verbs);
  group("Change", add_changing_verbs);
  group("Change", add_edit_verb);
  group("Change", add_patch_verb);
  group("Run", add_run_verb);
  group("Run", add_jobs_verb);
  group("Agents", add_tools_verb);
  group("Agents", add_mcp_verb);
  group("About", add_about_verbs);
  group("About", add_rules_verb);
  group("About", add_doctor_verb);
  // Last: a verb without a text of its own would take it over.
  app->footer(kFooter);
  return app;
}

int run_program(int argc, const char* const* argv) {
  occupy_closed_streams();
  Session session;
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  const auto app = make_app(session);
  if (const auto mark = command_mark(*app, words); mark < words.size()) {
    session.command_words.assign(words.begin() + static_cast<std::ptrdiff_t>(mark) + 1, words.end());
    words.resize(mark);
  }
  // An object is wanted even when the words cannot be read.
  const auto options_end = std::find(words.begin(), words.end(), "--");
  const bool wants_json = std::find(words.begin(), options_end, "--json") != options_end;
  try {
    // The parser takes the words from the back.
    std::vector<std::string> reversed(words.rbegin(), words.rend());
    app->parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    session.console.set_color(session.color);
    session.console.out(app->help());
    return finish(session, 0);
  } catch (const CLI::ParseError& failure) {
    session.json = wants_json;
    session.console.set_color("auto");
    return finish(session, fail(session, usage_error(*app, failure)));
  }
  session.console.set_color(session.color);
  if (!session.action) {
    session.console.out(app->help());
    return finish(session, 0);
  }
  session.signals.start();
  const int code = do_verb(session);
  return finish(session, code);
}

}  // namespace berth::cli
