#include "tools/grep.h"

#include <algorithm>

#include <fmt/format.h>

#include "tools/list_files.h"
#include "tools/make_tool.h"
#include "tools/text.h"
#include "tools/value_fields.h"

namespace berth::tools {
namespace {

using Mode = GrepRequest::Mode;

constexpr std::int64_t kMostContext = 20;

std::vector<std::string> texts_of(const std::vector<Bytes>& lines) {
  std::vector<std::string> texts;
  for (const auto& line : lines) texts.push_back(decode_utf8(line).text);
  return texts;
}

SearchQuery query_of(const ToolSession& session, const GrepRequest& request) {
  SearchQuery query{.pattern = request.pattern,
                    .glob = request.glob,
                    .literal = request.literal,
                    .ignore_case = request.ignore_case,
                    .word = request.word,
                    .multiline = request.multiline,
                    .filter = {.hidden = request.hidden, .ignored = request.ignored},
                    .context = request.context,
                    .limit = std::min(request.limit, session.options().max_list_entries),
                    .offset = request.offset,
                    .max_bytes = session.options().max_page_bytes};
  switch (request.mode) {
    case Mode::content: query.mode = SearchQuery::Mode::lines; break;
    case Mode::files: query.mode = SearchQuery::Mode::files; break;
    case Mode::count: query.mode = SearchQuery::Mode::count; break;
  }
  return query;
}

// A long line is shown around its match, and its length is told.
std::string excerpt(BytesView line, std::int64_t column) {
  constexpr auto kMost = static_cast<std::size_t>(limits::kLineExcerpt);
  if (line.size() <= kMost) return decode_utf8(line).text;
  std::size_t begin = 0;
  if (const auto at = static_cast<std::size_t>(column - 1); at > kMost / 2) {
    begin = std::min(at - kMost / 4, line.size() - kMost);
    while (begin > 0 && (static_cast<unsigned char>(line[begin]) & 0xc0) == 0x80) --begin;
  }
  const auto shown = utf8_prefix(line.substr(begin), kMost);
  return fmt::format("{}{}{} (part of {} bytes)", begin > 0 ? "…" : "", decode_utf8(shown).text,
                     begin + shown.size() < line.size() ? "…" : "", line.size());
}

void put_line(std::string& text, const std::string& name, char mark, std::int64_t number, const std::string& line) {
  text += fmt::format("{}{}{}{}{}\n", name, mark, number, mark, line);
}

// A match of several lines is a line of text for each.
void put_match(std::string& text, const GrepMatch& match) {
  const auto name = shown_name(match.path.text());
  auto number = *match.line;
  if (match.before) {
    auto first = number - static_cast<std::int64_t>(match.before->size());
    for (const auto& line : *match.before) put_line(text, name, '-', first++, excerpt(line, 1));
  }
  BytesView rest = *match.text;
  for (auto column = *match.column;; column = 1) {
    const auto end = rest.find('\n');
    put_line(text, name, ':', number++, excerpt(rest.substr(0, end), column));
    if (end == BytesView::npos) break;
    rest.remove_prefix(end + 1);
  }
  if (match.after) {
    for (const auto& line : *match.after) put_line(text, name, '-', number++, excerpt(line, 1));
  }
}

std::string notes_of(const GrepResponse& response) {
  std::string text;
  if (response.next_offset) {
    text += fmt::format("... (more follow; go on with offset={})\n", *response.next_offset);
  } else if (response.stopped_by) {
    text +=
        fmt::format("... (stopped at the bound `{}`; search in a smaller place)\n", enum_name(*response.stopped_by));
  }
  if (response.files_binary > 0 && response.matches.empty()) {
    text += fmt::format("({} not searched)\n", counted(response.files_binary, "binary file"));
  }
  return text + unreadable_note(response.unreadable);
}

}  // namespace

std::span<const EnumName<Mode>> enum_names(Mode) {
  static constexpr EnumName<Mode> kNames[] = {
      {Mode::content, "content"}, {Mode::files, "files"}, {Mode::count, "count"}};
  return kNames;
}

const Fields<GrepRequest>& GrepRequest::fields() {
  static const auto table =
      Fields<GrepRequest>()
          .bytes("pattern", &GrepRequest::pattern, "A regular expression (RE2 syntax), or text when `literal`",
                 kRequired)
          .bytes("path", &GrepRequest::path, "A directory, or one file")
          .bytes("glob", &GrepRequest::glob, "Only files that match, such as `*.{cc,h}` or `src/**`")
          .field("mode", &GrepRequest::mode, "content: the lines; files: the paths; count: matching lines of each file")
          .field("literal", &GrepRequest::literal, "`pattern` is plain text")
          .field("ignore_case", &GrepRequest::ignore_case, "")
          .field("word", &GrepRequest::word, "Whole words only")
          .field("multiline", &GrepRequest::multiline, "A match may span lines")
          .field("hidden", &GrepRequest::hidden, "Look into files whose names start with a dot")
          .field("ignored", &GrepRequest::ignored, "Look into files that git ignores")
          .field("context", &GrepRequest::context, "Lines to show around each match",
                 {.minimum = 0, .maximum = kMostContext})
          .field("limit", &GrepRequest::limit, "At most this many matches",
                 {.minimum = 1, .maximum = limits::kListEntries})
          .field("offset", &GrepRequest::offset, "Matches to pass over", {.minimum = 0});
  return table;
}

const Fields<GrepMatch>& GrepMatch::fields() {
  static const auto table = Fields<GrepMatch>()
                                .bytes("path", &GrepMatch::path, "")
                                .field("line", &GrepMatch::line, "From 1")
                                .field("column", &GrepMatch::column, "Byte of the first match in the line, from 1")
                                .bytes("text", &GrepMatch::text, "The line, without its ending")
                                .field("before", &GrepMatch::before, "Context")
                                .field("after", &GrepMatch::after, "")
                                .field("matches", &GrepMatch::matches, "Matching lines of the file");
  return table;
}

const Fields<GrepResponse>& GrepResponse::fields() {
  static const auto table =
      Fields<GrepResponse>()
          .field("mode", &GrepResponse::mode, "")
          .field("matches", &GrepResponse::matches, "By path, then line")
          .field("files_searched", &GrepResponse::files_searched, "")
          .field("files_binary", &GrepResponse::files_binary, "Files with a NUL byte, not searched")
          .field("bytes_searched", &GrepResponse::bytes_searched, "")
          .field("stopped_by", &GrepResponse::stopped_by, "The bound that ended the search early")
          .field("next_offset", &GrepResponse::next_offset, "Where to go on")
          .field("unreadable", &GrepResponse::unreadable, "");
  return table;
}

Result<GrepResponse> grep(const Call& call, ToolSession& session, const GrepRequest& request) {
  BERTH_CHECK(session.permit(call, Operation::grep, request.path));
  BERTH_TRY(auto found, session.workspace().search(call.until(Deadline::after(limits::kSearchTime)), request.path,
                                                   query_of(session, request)));
  GrepResponse response{.mode = request.mode,
                        .files_searched = found.files_searched,
                        .files_binary = found.files_binary,
                        .bytes_searched = found.bytes_searched,
                        .stopped_by = found.stopped_by,
                        .next_offset = found.next_offset,
                        .unreadable = std::move(found.unreadable)};
  for (auto& line : found.lines) {
    GrepMatch match{
        .path = std::move(line.path), .line = line.line, .column = line.column, .text = std::move(line.text)};
    if (request.context > 0) {
      match.before = texts_of(line.before);
      match.after = texts_of(line.after);
    }
    response.matches.push_back(std::move(match));
  }
  for (auto& file : found.files) {
    GrepMatch match{.path = std::move(file.path)};
    if (request.mode == Mode::count) match.matches = file.matches;
    response.matches.push_back(std::move(match));
  }
  return response;
}

std::string render(const GrepResponse& response) {
  std::string text;
  for (const auto& match : response.matches) {
    switch (response.mode) {
      case Mode::content:
        if (match.before && !text.empty()) text += "--\n";
        put_match(text, match);
        break;
      case Mode::files: text += shown_name(match.path.text()) + "\n"; break;
      case Mode::count: text += fmt::format("{}:{}\n", shown_name(match.path.text()), *match.matches); break;
    }
  }
  if (response.matches.empty()) {
    text += fmt::format("No matches ({} searched)\n", counted(response.files_searched, "file"));
  }
  text += notes_of(response);
  text.pop_back();
  return text;
}

std::unique_ptr<Tool> grep_tool() {
  return make_tool<GrepRequest, GrepResponse>(
      {.name = "grep",
       .title = "Search files by content",
       .description =
           "Find lines that match a pattern, as `path:line:text` (context as `path-line-text`). Hidden files, "
           "binary files and what git ignores are passed over.",
       .annotations = {.read_only = true, .idempotent = true},
       .needs = {.reads = true, .search = true},
       .uses = {Operation::grep}},
      grep, render);
}

}  // namespace berth::tools
