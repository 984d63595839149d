#include "tools/grep.h"

#include <fmt/format.h>

#include "tools/console/console_internal.h"
#include "tools/line_layouts.h"
#include "tools/make_tool.h"
#include "tools/text.h"
#include "tools/value_fields.h"

namespace berth::tools::console {

enum class OutputMode { content, files_with_matches, count };

std::span<const EnumName<OutputMode>> enum_names(OutputMode) {
  static constexpr EnumName<OutputMode> kNames[] = {{OutputMode::content, "content"},
                                                    {OutputMode::files_with_matches, "files_with_matches"},
                                                    {OutputMode::count, "count"}};
  return kNames;
}

namespace {

constexpr std::int64_t kShown = 50;
constexpr std::size_t kLineCharacters = 100;

struct Arguments {
  std::string pattern;
  std::optional<std::string> path;
  std::optional<std::string> glob_pattern;
  OutputMode output_mode = OutputMode::files_with_matches;
  bool ignore_hidden = true;

  static const Fields<Arguments>& fields() {
    static const auto table =
        Fields<Arguments>()
            .field("pattern", &Arguments::pattern, "A regular expression (RE2 syntax)", kRequired)
            .field("path", &Arguments::path, "A directory, or one file; absent: everywhere")
            .field("glob_pattern", &Arguments::glob_pattern, "Only files that match, such as `*.{py,md}`")
            .field("output_mode", &Arguments::output_mode,
                   "files_with_matches: the paths; content: the matching lines; count: how many lines match")
            .field("ignore_hidden", &Arguments::ignore_hidden, "Pass over names that start with a dot");
    return table;
  }
};

/// What was found, and how much there is of it in all.
struct Findings {
  GrepResponse plain;
  std::vector<std::string> paths;  ///< of each match, as this profile spells them
  std::int64_t total_files = 0;
  std::int64_t total_lines = 0;

  static const Fields<Findings>& fields() {
    static const auto table = Fields<Findings>().inlined(&Findings::plain);
    return table;
  }
};

Result<GrepRequest> to_request(const Arguments& arguments) {
  GrepRequest request;
  request.pattern = arguments.pattern;
  const auto path = arguments.path.value_or(".");
  request.path = path.empty() || path == "/" ? "." : path;
  request.glob = arguments.glob_pattern.value_or("");
  request.hidden = !arguments.ignore_hidden;
  request.limit = kShown;
  switch (arguments.output_mode) {
    case OutputMode::content: request.mode = GrepRequest::Mode::content; break;
    case OutputMode::files_with_matches: request.mode = GrepRequest::Mode::files; break;
    case OutputMode::count: request.mode = GrepRequest::Mode::count; break;
  }
  return request;
}

// One page does not say how much there is: count it all.
Result<void> count_all(const Call& call, ToolSession& session, const GrepRequest& request, Findings& findings) {
  SearchQuery query;
  query.pattern = request.pattern;
  query.glob = request.glob;
  query.mode = SearchQuery::Mode::count;
  query.filter = {.hidden = request.hidden, .ignored = request.ignored};
  BERTH_TRY(const auto counted, session.workspace().search(call.until(Deadline::after(limits::kSearchTime)),
                                                           request.path, std::move(query)));
  findings.total_files = static_cast<std::int64_t>(counted.files.size());
  findings.total_lines = 0;
  for (const auto& file : counted.files) findings.total_lines += file.matches;
  return {};
}

Result<Findings> search(const Call& call, ToolSession& session, const Arguments& arguments, ProgressSink*) {
  BERTH_TRY(const auto request, to_request(arguments));
  BERTH_TRY(auto response, grep(call, session, request));
  Findings findings;
  findings.plain = std::move(response);
  // Without a path the recorded tools searched `.` and said so in each line.
  const bool absolute = spelled(session.workspace(), Path()).starts_with('/');
  for (const auto& match : findings.plain.matches) {
    findings.paths.push_back((arguments.path || absolute ? "" : "./") + spelled(session.workspace(), match.path));
    findings.total_lines += match.matches.value_or(1);
  }
  findings.total_files = static_cast<std::int64_t>(findings.plain.matches.size());
  if (findings.plain.next_offset) BERTH_CHECK(count_all(call, session, request, findings));
  return findings;
}

std::string notes_of(const GrepResponse& response) {
  std::string text;
  if (response.stopped_by && !response.next_offset) {
    text +=
        fmt::format("\n  (not everything was searched: it ended at the bound `{}`)", enum_name(*response.stopped_by));
  }
  if (response.matches.empty() && response.files_binary > 0) {
    text += fmt::format("\n  ({} not searched)", counted(response.files_binary, "binary file"));
  }
  return text + unreadable_lines(response.unreadable);
}

std::string more(std::int64_t total, std::size_t shown, std::string_view what) {
  const auto left_out = total - static_cast<std::int64_t>(shown);
  return left_out > 0 ? fmt::format("\n  ... and {} more {}", left_out, what) : std::string();
}

std::string line_text(const GrepMatch& match) {
  BytesView line = match.text ? BytesView(*match.text) : BytesView();
  if (line.ends_with('\r')) line.remove_suffix(1);
  return std::string(first_characters(decode_utf8(line).text, kLineCharacters));
}

std::string render(const Arguments& arguments, const Findings& findings) {
  const auto& matches = findings.plain.matches;
  if (matches.empty()) return fmt::format("No matches for '{}'", arguments.pattern) + notes_of(findings.plain);
  std::string text;
  switch (arguments.output_mode) {
    case OutputMode::count:
      text = fmt::format("Found {} match(es) for '{}'", findings.total_lines, arguments.pattern);
      break;
    case OutputMode::files_with_matches:
      text = fmt::format("Files containing '{}':", arguments.pattern);
      for (const auto& path : findings.paths) text += "\n  " + path;
      text += more(findings.total_files, findings.paths.size(), "files");
      break;
    case OutputMode::content:
      text = fmt::format("Matches for '{}':", arguments.pattern);
      for (std::size_t i = 0; i < matches.size(); ++i) {
        text += fmt::format("\n  {}:{}: {}", findings.paths[i], matches[i].line.value_or(0), line_text(matches[i]));
      }
      text += more(findings.total_lines, matches.size(), "matches");
      break;
  }
  return text + notes_of(findings.plain);
}

}  // namespace

std::unique_ptr<Tool> make_grep() {
  return make_tool<Arguments, Arguments, Findings>(
      {.info = {.name = "grep",
                .title = "Search files by content",
                .description =
                    "Find what matches a pattern: the files, the lines as `path:line: text`, or their number. "
                    "Binary files and what git ignores are passed over.",
                .input_schema = {},
                .output_schema = {},
                .annotations = {.read_only = true, .idempotent = true},
                .needs = {.reads = true, .search = true},
                .uses = {Operation::grep}},
       .operation = search,
       .render = render,
       .render_error = kRenderError<Steering::never_retries>});
}

}  // namespace berth::tools::console
