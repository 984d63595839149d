#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/error.h"
#include "surface/cli/generate.h"
#include "surface/cli/text_layout.h"
#include "surface/cli/tree_internal.h"
#include "surface/cli/version.h"

namespace berth::cli {
namespace {

// Backslashes and hyphens mean something to roff, and so does a dot or quote at the start of a line.
std::string roff(std::string_view text) {
  std::string escaped;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
    line_start = c == '\n';
  }
  return escaped;
}

void add_options(std::string& page, const CLI::App& app) {
  for (const auto* option : flags_of(app)) {
    page += fmt::format(".TP\n.B {}\n{}\n", roff(option_spelling(*option)), roff(option->get_description()));
  }
}

void add_footer(std::string& page, const CLI::App& app) {
  for (const auto& block : text_blocks(app.get_footer())) {
    const bool is_example = block.kind == TextBlock::Kind::example;
    page += is_example ? ".PP\n.nf\n" : ".PP\n";
    for (const auto& line : block.lines) page += roff(line) + "\n";
    if (is_example) page += ".fi\n";
  }
}

void add_verbs(std::string& page, const CLI::App& app) {
  for (const auto* verb : verbs_of(app)) {
    page += fmt::format(".SS {}\n{}.\n", roff(usage_of(*verb)), roff(verb->get_description()));
    for (const auto* argument : positionals_of(*verb)) {
      page += fmt::format(".TP\n.I {}\n{}\n", roff(value_name(*argument)), roff(argument->get_description()));
    }
    add_options(page, *verb);
    add_footer(page, *verb);
    add_verbs(page, *verb);
  }
}

}  // namespace

std::string manual_page(const CLI::App& app) {
  std::string page =
      fmt::format(".TH BERTH 1 \"{}\" \"berth {}\" \"User Commands\"\n.SH NAME\nberth \\- {}\n", kReleaseDate, kVersion,
                  roff("files and commands of a workspace, for people and agents"));
  page += fmt::format(".SH SYNOPSIS\n.B {}\n.SH DESCRIPTION\n", roff(usage_of(app)));
  add_footer(page, app);
  page += ".SH OPTIONS\n";
  add_options(page, app);
  page += ".SH VERBS\n";
  add_verbs(page, app);
  page += ".SH EXIT STATUS\n.TP\n.B 0\nThe verb did its work.\n.TP\n.B 1\nNothing matched (grep).\n";
  // Several codes may share a number; `run` exits with its command's own.
  std::map<int, std::string> names;
  for (const auto& row : error_table()) {
    auto& text = names[row.exit_code];
    text.append(text.empty() ? "" : ", ").append(row.name);
  }
  for (const auto& [code, name] : names) page += fmt::format(".TP\n.B {}\n{}\n", code, roff(name));
  page += ".PP\n.B berth run\nexits with its command's own code instead, 128+N after signal N, 124 after a timeout.\n";
  page += ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nNo colour unless \\-\\-color says otherwise.\n";
  return page;
}

}  // namespace berth::cli
