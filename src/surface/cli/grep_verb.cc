#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "surface/cli/json_internal.h"
#include "surface/cli/progress.h"
#include "surface/cli/verbs.h"

namespace berth::cli {
namespace {

constexpr int kNothingMatched = 1;

struct GrepArguments {
  SearchQuery query;
  std::string path = ".";
  bool files = false;
  bool count = false;
};

std::string_view bound_name(SearchBound bound) {
  switch (bound) {
    case SearchBound::deadline: return "deadline";
    case SearchBound::files: return "max_files";
    case SearchBound::bytes: return "max_bytes";
    case SearchBound::results: return "limit";
  }
  return "";
}

Json lines_of(const std::vector<Bytes>& lines) {
  Json list = Json::array();
  for (const auto& line : lines) list.push_back(decode_utf8(line).text);
  return list;
}

void print_object(Session& session, const GrepArguments& arguments, const SearchResult& result) {
  Json matches = Json::array();
  if (arguments.query.mode == SearchQuery::Mode::lines) {
    for (const auto& match : result.lines) {
      Json one = path_object(match.path.text());
      one["line"] = match.line;
      one["column"] = match.column;
      put_bytes(one, "text", match.text);
      if (arguments.query.context > 0) {
        one["before"] = lines_of(match.before);
        one["after"] = lines_of(match.after);
      }
      matches.push_back(std::move(one));
    }
  } else {
    for (const auto& file : result.files) {
      Json one = path_object(file.path.text());
      if (arguments.query.mode == SearchQuery::Mode::count) one["matches"] = file.matches;
      matches.push_back(std::move(one));
    }
  }
  Json object = {{"matches", std::move(matches)},
                 {"files_searched", result.files_searched},
                 {"files_binary", result.files_binary},
                 {"bytes_searched", result.bytes_searched}};
  if (result.stopped_by) object["stopped_by"] = bound_name(*result.stopped_by);
  if (result.next_offset) object["next_offset"] = *result.next_offset;
  object["unreadable"] = to_json(result.unreadable);
  print_json(session, object);
}

void print_context(Console& console, const SearchMatch& match, std::int64_t first, const std::vector<Bytes>& lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    console.out_name(Tone::path, match.path.text());
    console.out(Tone::dim, fmt::format("-{}-", first + static_cast<std::int64_t>(i)));
    console.out_name(Tone::plain, lines[i]);
    console.out("\n");
  }
}

// A match of several lines keeps them: each is one line of output.
void print_match(Console& console, const SearchMatch& match) {
  std::int64_t line = match.line;
  std::string_view rest = match.text;
  while (true) {
    const auto end = rest.find('\n');
    console.out_name(Tone::path, match.path.text());
    console.out(Tone::dim, ":");
    console.out(Tone::number, std::to_string(line));
    console.out(Tone::dim, ":");
    console.out(Tone::number, std::to_string(line == match.line ? match.column : 1));
    console.out(Tone::dim, ":");
    console.out_name(Tone::plain, rest.substr(0, end));
    console.out("\n");
    if (end == std::string_view::npos) return;
    rest.remove_prefix(end + 1);
    ++line;
  }
}

void print_text(Session& session, const GrepArguments& arguments, const SearchResult& result) {
  auto& console = session.console;
  bool first = true;
  for (const auto& match : result.lines) {
    if (arguments.query.context > 0 && !first) console.out(Tone::dim, "--\n");
    first = false;
    print_context(console, match, match.line - static_cast<std::int64_t>(match.before.size()), match.before);
    print_match(console, match);
    const auto height = std::count(match.text.begin(), match.text.end(), '\n') + 1;
    print_context(console, match, match.line + height, match.after);
  }
  for (const auto& file : result.files) {
    console.out_name(Tone::path, file.path.text());
    if (arguments.query.mode == SearchQuery::Mode::count) {
      console.out(Tone::dim, ":");
      console.out(Tone::number, std::to_string(file.matches));
    }
    console.out("\n");
  }
  for (const auto& one : result.unreadable) {
    console.note(
        fmt::format("berth: {}: not searched: {}", escape_for_terminal(one.path.text()), error_info(one.code).name));
  }
  if (result.stopped_by) {
    console.note(fmt::format("berth: stopped by {}; more may match", bound_name(*result.stopped_by)));
  }
}

Result<int> run_grep(Session& session, GrepArguments& arguments) {
  if (arguments.files && arguments.count) {
    return make_error(ErrorCode::invalid_argument, "--files and --count exclude each other");
  }
  if (arguments.files) arguments.query.mode = SearchQuery::Mode::files;
  if (arguments.count) arguments.query.mode = SearchQuery::Mode::count;
  BERTH_TRY(Workspace * workspace, session.workspace_for(Operation::grep, arguments.path));
  const Progress progress(session.console, "searching");
  BERTH_TRY(const auto result, workspace->search(session.call(), arguments.path, arguments.query));
  if (session.json) {
    print_object(session, arguments, result);
  } else {
    print_text(session, arguments, result);
  }
  return result.lines.empty() && result.files.empty() ? kNothingMatched : 0;
}

}  // namespace

void add_grep_verb(CLI::App& app, Session& session) {
  auto arguments = std::make_shared<GrepArguments>();
  auto& query = arguments->query;
  auto* verb = app.add_subcommand("grep", "Search file contents: path:line:column:text");
  verb->add_option("pattern", query.pattern, "A regular expression (RE2 syntax)")->type_name("PATTERN")->required();
  verb->add_option("path", arguments->path, "A directory or one file")->type_name("PATH");
  verb->add_flag("-F,--literal", query.literal, "The pattern is plain text");
  verb->add_flag("-i,--ignore-case", query.ignore_case, "Upper and lower case are the same");
  verb->add_flag("-w,--word", query.word, "Match whole words only");
  verb->add_flag("-U,--multiline", query.multiline, "A match may span lines");
  verb->add_option("-C,--context", query.context, "Show N lines before and after each match")->type_name("N");
  verb->add_option("--glob", query.glob, "Only files that match; without a slash, at any depth")->type_name("GLOB");
  verb->add_flag("--files", arguments->files, "Only the names of the files that match");
  verb->add_flag("--count", arguments->count, "Only the number of matching lines in each file");
  verb->add_flag("--hidden", query.filter.hidden, "Search names that start with a dot");
  verb->add_flag("--ignored", query.filter.ignored, "Search what git ignores");
  verb->add_option("--limit", query.limit, "At most this many results")->type_name("N");
  verb->add_option("--offset", query.offset, "Skip this many results")->type_name("N");
  verb->footer(
      "Exits with 0 when something matched, 1 when nothing did, and 2 for a pattern that cannot be read.\n"
      "Binary files are skipped. A pattern that starts with `-` goes after `--`.\n"
      "  berth grep -i 'todo\\(' src --glob '*.cc'");
  verb->callback(
      [&session, arguments] { session.action = [&session, arguments] { return run_grep(session, *arguments); }; });
}

}  // namespace berth::cli
