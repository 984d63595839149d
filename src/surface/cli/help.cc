#include "surface/cli/help.h"

#include <algorithm>

#include <fmt/format.h>

#include "surface/cli/text_layout.h"
#include "surface/cli/tree_internal.h"

namespace berth::cli {
namespace {

constexpr std::size_t kColumn = 27;

void add_row(std::string& text, const std::string& left, const std::string& right) {
  const bool is_wide = left.size() + 2 > kColumn;
  text += fmt::format("  {:<{}}", left, is_wide ? 0 : kColumn);
  auto indent = is_wide ? fmt::format("\n{:{}}", "", kColumn + 2) : std::string();
  for (const auto& line : wrap(right, kTextWidth - kColumn - 2)) {
    text += indent + line;
    indent = fmt::format("\n{:{}}", "", kColumn + 2);
  }
  text += "\n";
}

void add_footer(std::string& text, std::string_view footer) {
  for (const auto& block : text_blocks(footer)) {
    text += "\n";
    if (block.kind == TextBlock::Kind::example) {
      for (const auto& line : block.lines) text += fmt::format("  {}\n", line);
    } else {
      for (const auto& line : wrap(fmt::format("{}", fmt::join(block.lines, " ")), kTextWidth)) text += line + "\n";
    }
  }
}

class HelpFormatter final : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string /*name*/, CLI::AppFormatMode /*mode*/) const override {
    std::string text = fmt::format("{}\n\nUsage: {}\n", app->get_description(), usage_of(*app));
    if (const auto positionals = positionals_of(*app); !positionals.empty()) {
      text += "\nArguments:\n";
      for (const auto* option : positionals) add_row(text, value_name(*option), description_of(*option));
    }
    // Verbs before options: they are what a newcomer looks for.
    std::string group;
    for (const auto* verb : verbs_of(*app)) {
      if (verb->get_group() != group) {
        group = verb->get_group();
        text += fmt::format("\n{}:\n", group);
      }
      add_row(text, verb->get_name(), verb->get_description());
    }
    text += "\nOptions:\n";
    for (const auto* option : flags_of(*app)) add_row(text, option_spelling(*option), description_of(*option));
    add_footer(text, app->get_footer());
    return text;
  }

 private:
  static std::string description_of(const CLI::Option& option) {
    std::string text = option.get_description();
    if (takes_value(option) && option.get_required() && option.nonpositional()) text += " (required)";
    return text;
  }
};

}  // namespace

void use_help(CLI::App& app) { app.formatter(std::make_shared<HelpFormatter>()); }

}  // namespace berth::cli
