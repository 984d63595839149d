#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "surface/cli/generate.h"
#include "surface/cli/json_internal.h"
#include "surface/cli/tree_internal.h"
#include "surface/cli/verbs.h"
#include "surface/cli/version.h"

namespace berth::cli {
namespace {

Result<int> print_ref(Session& session) {
  BERTH_TRY(Workspace * workspace, session.workspace());
  BERTH_CHECK(workspace->ensure(session.call()));
  const auto ref = workspace->ref();
  if (!ref) return make_error(ErrorCode::internal, "the environment was made but has no name");
  if (session.json) {
    const auto has = workspace->capabilities();
    Json object = Json::object();
    put_bytes(object, "ref", ref->to_string());
    object["provider"] = ref->provider;
    object["isolation"] = workspace->info().isolation;
    object["read_only"] = workspace->info().access == Access::read_only;
    object["capabilities"] = {{"read_files", has.read_files},     {"write_files", has.write_files},
                              {"run_commands", has.run_commands}, {"search_files", has.search_files},
                              {"transactions", has.transactions}, {"jobs", has.jobs}};
    print_json(session, object);
    return 0;
  }
  session.console.out_name(Tone::plain, ref->to_string());
  session.console.out("\n");
  return 0;
}

Result<int> print_version(Session& session) {
  if (session.json) {
    print_json(session, {{"version", kVersion}});
  } else {
    session.console.out(fmt::format("berth {}\n", kVersion));
  }
  return 0;
}

// A generated text: as it is, or as one string of an object.
int print_text(Session& session, std::string_view key, const std::string& text) {
  if (session.json) {
    print_json(session, {{std::string(key), text}});
  } else {
    session.console.out(text);
  }
  return 0;
}

/// `words` lead from the program to a verb, or to a verb of a verb.
Result<int> print_help(Session& session, const CLI::App& app, const std::vector<std::string>& words) {
  // Asked itself, the tree would speak of the verb that was chosen: `help`.
  if (words.empty()) {
    return print_text(session, "text", app.get_formatter()->make_help(&app, "", CLI::AppFormatMode::Normal));
  }
  const CLI::App* verb = &app;
  for (const auto& word : words) {
    const auto known = verbs_of(*verb);
    const auto found =
        std::find_if(known.begin(), known.end(), [&](const CLI::App* one) { return one->get_name() == word; });
    if (found == known.end()) {
      auto error =
          make_error(ErrorCode::invalid_argument, fmt::format("there is no verb `{}`", decode_utf8(word).text));
      error.hint = "`berth help` lists the verbs";
      return error;
    }
    verb = *found;
  }
  return print_text(session, "text", verb->help());
}

}  // namespace

void add_about_verbs(CLI::App& app, Session& session) {
  auto about = std::make_shared<std::vector<std::string>>();
  auto* help = app.add_subcommand("help", "Say what a verb does, or list the verbs");
  help->add_option("verb", *about, "The verb")->type_name("VERB");
  help->footer("The same as `berth VERB --help`.\n  berth help grep");
  help->callback([&app, &session, about] {
    session.action = [&app, &session, about] { return print_help(session, app, *about); };
  });

  auto* ref = app.add_subcommand("ref", "Print the workspace's durable name, for a later -w");
  ref->footer(
      "A ref names one environment for good: when it is gone, opening the ref fails instead of giving another.");
  ref->callback([&session] { session.action = [&session] { return print_ref(session); }; });

  auto* version = app.add_subcommand("version", "Print the version");
  const auto choose_version = [&session] { session.action = [&session] { return print_version(session); }; };
  version->callback(choose_version);
  app.add_flag_callback("--version", choose_version, "Print the version");

  auto shell = std::make_shared<std::string>();
  auto* completion = app.add_subcommand("completion", "Print the completion script of a shell");
  completion->add_option("shell", *shell, "bash, zsh or fish")
      ->type_name("SHELL")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  completion->footer(
      "  berth completion bash > ~/.local/share/bash-completion/completions/berth\n"
      "  berth completion zsh > \"${fpath[1]}/_berth\"\n"
      "  berth completion fish > ~/.config/fish/completions/berth.fish");
  completion->callback([&app, &session, shell] {
    session.action = [&app, &session, shell]() -> Result<int> {
      return print_text(session, "script", completion_script(app, *shell));
    };
  });

  auto* man = app.add_subcommand("man", "Print the manual page (roff)");
  man->footer("  berth man | man -l -");
  man->callback([&app, &session] {
    session.action = [&app, &session]() -> Result<int> { return print_text(session, "page", manual_page(app)); };
  });
}

}  // namespace berth::cli
