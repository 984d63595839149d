#include <string>
#include <string_view>

#include <fmt/format.h>

#include "surface/cli/generate.h"
#include "surface/cli/tree_internal.h"

namespace berth::cli {
namespace {

// In single quotes, for any shell here.
std::string shell_quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
    } else {
      result += c;
    }
  }
  return result + "'";
}

std::string option_words(const CLI::App& app) {
  std::string words;
  for (const auto* option : flags_of(app)) {
    for (const auto& name : option->get_snames()) words += fmt::format(" -{}", name);
    for (const auto& name : option->get_lnames()) words += fmt::format(" --{}", name);
  }
  return words.empty() ? words : words.substr(1);
}

std::string verb_words(const CLI::App& app) {
  std::string words;
  for (const auto* verb : verbs_of(app)) words += (words.empty() ? "" : " ") + verb->get_name();
  return words;
}

// Options before the verb whose next word is their value.
std::string value_options(const CLI::App& app) {
  std::string words;
  for (const auto* option : flags_of(app)) {
    if (!takes_value(*option)) continue;
    for (const auto& name : option->get_snames()) words += fmt::format("{}-{}", words.empty() ? "" : "|", name);
    for (const auto& name : option->get_lnames()) words += fmt::format("{}--{}", words.empty() ? "" : "|", name);
  }
  return words;
}

std::string bash_script(const CLI::App& app) {
  std::string script = fmt::format(R"(# bash completion for berth; made by `berth completion bash`
_berth() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} verb= index
  for ((index = 1; index < COMP_CWORD; index++)); do
    case ${{COMP_WORDS[index]}} in
      {}) ((index++)) ;;
      -*) ;;
      *) verb=${{COMP_WORDS[index]}}; break ;;
    esac
  done
  local options=
  case $verb in
    '')
      case $current in
        -*) options='{}' ;;
        *) options='{}' ;;
      esac ;;
    completion) options='bash zsh fish' ;;
    help) options='{}' ;;
)",
                                   value_options(app), option_words(app), verb_words(app), verb_words(app));
  for (const auto* verb : verbs_of(app)) {
    if (verb->get_name() == "completion" || verb->get_name() == "help") continue;
    if (const auto below = verb_words(*verb); !below.empty()) {
      std::string all = option_words(*verb);
      for (const auto* inner : verbs_of(*verb)) all += " " + option_words(*inner);
      script += fmt::format("    {}) if [[ $current == -* ]]; then options='{}'; else options='{}'; fi ;;\n",
                            verb->get_name(), all, below);
      continue;
    }
    script += fmt::format("    {}) [[ $current == -* ]] && options='{}' ;;\n", verb->get_name(), option_words(*verb));
  }
  script += R"(  esac
  COMPREPLY=($(compgen -W "$options" -- "$current"))
}
complete -o default -o bashdefault -F _berth berth
)";
  return script;
}

// Brackets and colons end parts of a zsh specification.
std::string zsh_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

void add_zsh_options(std::string& script, const CLI::App& app, std::string_view indent) {
  const auto add = [&](const CLI::Option& option, const std::string& spelling) {
    script += fmt::format(" \\\n{}{}", indent,
                          shell_quoted(fmt::format("{}[{}]{}", spelling, zsh_text(option.get_description()),
                                                   takes_value(option) ? ":" + value_name(option) + ":_files" : "")));
  };
  for (const auto* option : flags_of(app)) {
    for (const auto& name : option->get_snames()) add(*option, "-" + name);
    for (const auto& name : option->get_lnames()) add(*option, "--" + name);
  }
}

std::string zsh_script(const CLI::App& app) {
  std::string script =
      "#compdef berth\n# made by `berth completion zsh`\n_berth() {\n  local state line\n  local -a verbs\n  verbs=(\n";
  for (const auto* verb : verbs_of(app)) {
    script += fmt::format("    {}\n",
                          shell_quoted(fmt::format("{}:{}", verb->get_name(), zsh_text(verb->get_description()))));
  }
  script += "  )\n  _arguments -C";
  add_zsh_options(script, app, "    ");
  script += " \\\n    '1:verb:->verb' \\\n    '*::argument:->argument'\n";
  script += "  case $state in\n    verb) _describe -t verbs verb verbs ;;\n    argument)\n      case $line[1] in\n";
  for (const auto* verb : verbs_of(app)) {
    script += fmt::format("        {})\n          _arguments", verb->get_name());
    add_zsh_options(script, *verb, "            ");
    for (const auto* inner : verbs_of(*verb)) add_zsh_options(script, *inner, "            ");
    if (const auto below = verb_words(*verb); !below.empty()) {
      script += fmt::format(" \\\n            '1:verb:({})' ;;\n", below);
      continue;
    }
    script += verb->get_name() == "completion" ? std::string(" \\\n            '1:shell:(bash zsh fish)' ;;\n")
              : verb->get_name() == "help"     ? fmt::format(" \\\n            '1:verb:({})' ;;\n", verb_words(app))
                                               : std::string(" \\\n            '*:path:_files' ;;\n");
  }
  return script + "      esac ;;\n  esac\n}\n_berth \"$@\"\n";
}

std::string fish_script(const CLI::App& app) {
  std::string script = "# made by `berth completion fish`\n";
  const auto add = [&script](const CLI::App& owner, const std::string& condition) {
    for (const auto* option : flags_of(owner)) {
      script += fmt::format("complete -c berth -n {}", shell_quoted(condition));
      for (const auto& name : option->get_snames()) script += fmt::format(" -s {}", name);
      for (const auto& name : option->get_lnames()) script += fmt::format(" -l {}", name);
      script += fmt::format("{} -d {}\n", takes_value(*option) ? " -r" : "", shell_quoted(option->get_description()));
    }
  };
  add(app, "__fish_use_subcommand");
  for (const auto* verb : verbs_of(app)) {
    script += fmt::format("complete -c berth -f -n __fish_use_subcommand -a {} -d {}\n", verb->get_name(),
                          shell_quoted(verb->get_description()));
    const auto seen = "__fish_seen_subcommand_from " + verb->get_name();
    add(*verb, seen);
    for (const auto* inner : verbs_of(*verb)) {
      script += fmt::format("complete -c berth -f -n {} -a {} -d {}\n", shell_quoted(seen), inner->get_name(),
                            shell_quoted(inner->get_description()));
      add(*inner, seen + "; and __fish_seen_subcommand_from " + inner->get_name());
    }
  }
  script += fmt::format("complete -c berth -f -n '__fish_seen_subcommand_from help' -a '{}'\n", verb_words(app));
  return script + "complete -c berth -f -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'\n";
}

}  // namespace

std::string completion_script(const CLI::App& app, std::string_view shell) {
  if (shell == "bash") return bash_script(app);
  return shell == "zsh" ? zsh_script(app) : fish_script(app);
}

}  // namespace berth::cli
