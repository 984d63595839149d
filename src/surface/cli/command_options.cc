#include "surface/cli/command_options.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "surface/cli/input.h"

namespace berth::cli {

void add_command_options(CLI::App& verb, CommandOptions& options) {
  verb.add_option("-c,--script", options.script, "A script for /bin/sh")->type_name("SCRIPT");
  verb.add_option("--timeout", options.timeout_seconds, "End it, with everything it started, after this many seconds")
      ->type_name("S");
  verb.add_option("--env", options.env, "Set a variable; may be repeated")
      ->type_name("K=V")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  verb.add_option("--cwd", options.cwd, "A directory of the workspace to start in")->type_name("PATH");
  verb.add_flag("--stdin", options.take_stdin, "Give it standard input, read to its end first");
}

Result<CommandSpec> command_of(const Session& session, Workspace& workspace, const CommandOptions& options) {
  const auto wrong = [](std::string message) { return make_error(ErrorCode::invalid_argument, std::move(message)); };
  CommandSpec spec;
  spec.argv = session.command_words;
  spec.script = options.script;
  if (spec.argv.empty() && spec.script.empty()) {
    auto error = wrong("there is no command");
    error.hint = "write it after `--`, or give a shell script with -c";
    return error;
  }
  if (!spec.argv.empty() && !spec.script.empty()) return wrong("-c and words after `--` exclude each other");
  if (!std::isfinite(options.timeout_seconds) || options.timeout_seconds < 0) {
    return wrong("the timeout is no positive number of seconds");
  }
  if (options.timeout_seconds > 0) {
    constexpr double kLongest = 1e9;
    spec.timeout = std::chrono::milliseconds(
        static_cast<std::int64_t>(std::ceil(std::min(options.timeout_seconds, kLongest) * 1000)));
  }
  for (const auto& word : options.env) {
    const auto equals = word.find('=');
    if (equals == std::string::npos || equals == 0) return wrong(fmt::format("`{}` is not NAME=VALUE", word));
    spec.env.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  BERTH_TRY(spec.cwd, workspace.resolve(options.cwd));
  if (options.take_stdin) {
    BERTH_TRY(spec.stdin_bytes, read_standard_input(session.call()));
  }
  return spec;
}

}  // namespace berth::cli
