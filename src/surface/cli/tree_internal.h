#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

/// Looking at the tree of verbs and options, for everything that is made from it.
namespace berth::cli {

inline std::vector<const CLI::App*> verbs_of(const CLI::App& app) { return app.get_subcommands({}); }

inline std::vector<const CLI::Option*> positionals_of(const CLI::App& verb) {
  return verb.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

/// Without those that have no group: they are for tests alone.
inline std::vector<const CLI::Option*> flags_of(const CLI::App& verb) {
  return verb.get_options(
      [](const CLI::Option* option) { return option->nonpositional() && !option->get_group().empty(); });
}

inline bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

/// What stands for the value in a usage line: `N`, `PATH`; the choices that the library puts behind it are cut.
inline std::string value_name(const CLI::Option& option) {
  const auto name = option.get_type_name();
  return name.substr(0, name.find(":{"));
}

/// `-C,--context` as `-C, --context N`.
inline std::string option_spelling(const CLI::Option& option) {
  std::string text;
  for (const auto& name : option.get_snames()) text.append(text.empty() ? "-" : ", -").append(name);
  for (const auto& name : option.get_lnames()) text.append(text.empty() ? "--" : ", --").append(name);
  if (takes_value(option)) text.append(" ").append(value_name(option));
  return text;
}

/// `berth read`, `berth jobs start`.
inline std::string name_of(const CLI::App& verb) {
  return verb.get_parent() == nullptr ? "berth" : name_of(*verb.get_parent()) + " " + verb.get_name();
}

/// Whether the words of a command follow after `--`.
inline bool takes_command(const CLI::App& verb) {
  return name_of(verb) == "berth run" || name_of(verb) == "berth jobs start";
}

/// `berth read [OPTIONS] PATH`.
inline std::string usage_of(const CLI::App& app) {
  if (app.get_parent() == nullptr) return "berth [OPTIONS] VERB ...";
  std::string text = name_of(app);
  if (!flags_of(app).empty()) text += " [OPTIONS]";
  if (!verbs_of(app).empty()) text += " [VERB ...]";
  for (const auto* positional : positionals_of(app)) {
    const auto name = value_name(*positional);
    text += positional->get_required() ? " " + name : " [" + name + "]";
  }
  // The words of the command are no option of the tree: they are taken as they are.
  if (takes_command(app)) text += " [-- ARGV...]";
  return text;
}

}  // namespace berth::cli
