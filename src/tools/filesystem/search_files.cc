#include <fmt/format.h>

#include "tools/filesystem/exclusions.h"
#include "tools/filesystem/filesystem_internal.h"
#include "tools/list_files.h"
#include "tools/make_tool.h"
#include "tools/text.h"
#include "tools/tree_walk.h"
#include "tools/value_fields.h"

namespace berth::tools::filesystem {
namespace {

struct Arguments {
  std::string path;
  std::string pattern;
  std::vector<std::string> exclude_patterns;

  static const Fields<Arguments>& fields() {
    static const auto table =
        Fields<Arguments>()
            .field("path", &Arguments::path, "The directory to look below", kRequired)
            .field("pattern", &Arguments::pattern,
                   "Matched against the path below it: `*.md` there, `**/*.md` at any depth", kRequired)
            .field("excludePatterns", &Arguments::exclude_patterns, "Leave out what matches, and what is below it");
    return table;
  }
};

struct Match {
  Path path;
  bool directory = false;

  static const Fields<Match>& fields() {
    static const auto table =
        Fields<Match>().bytes("path", &Match::path, "From the root").field("directory", &Match::directory, "");
    return table;
  }
};

struct Matches {
  std::string content;
  std::vector<Match> matches;
  bool truncated = false;
  std::vector<Unreadable> unreadable;

  static const Fields<Matches>& fields() {
    static const auto table = Fields<Matches>()
                                  .field("content", &Matches::content, "The text")
                                  .field("matches", &Matches::matches, "")
                                  .field("truncated", &Matches::truncated, "More may match")
                                  .field("unreadable", &Matches::unreadable, "Directories that could not be listed");
    return table;
  }
};

std::string text_of(const Matches& found) {
  std::string text = found.content.empty() ? "No matches found" : found.content;
  if (found.truncated) text += "\n... (more may match: search a directory below, or with a narrower pattern)";
  if (const auto note = unreadable_note(found.unreadable); !note.empty()) text += "\n" + note;
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

Result<Matches> search(const Call& call, ToolSession& session, const Arguments& arguments, ProgressSink*) {
  BERTH_TRY(const auto path, path_argument(arguments.path));
  BERTH_CHECK(session.permit(call, Operation::glob, path));
  BERTH_TRY(const auto base, session.workspace().resolve(path));
  BERTH_TRY(const auto wanted, compile_pattern(arguments.pattern, "pattern"));
  BERTH_TRY(const auto exclusions, Exclusions::compile(arguments.exclude_patterns, Exclusions::Reading::whole_paths));
  const auto most = static_cast<std::size_t>(session.options().max_page_bytes);
  Matches found;
  const auto visit = [&](const WalkedEntry& walked) {
    if (exclusions.leave_out(walked.relative)) return WalkStep::pass;
    if (wanted.matches(walked.relative)) {
      const auto line = shown_name(absolute_name(session, walked.path));
      if (found.content.size() + line.size() > most) {
        found.truncated = true;
        return WalkStep::stop;
      }
      found.content += (found.content.empty() ? "" : "\n") + line;
      found.matches.push_back({walked.path, walked.entry.stat.kind == FileKind::directory});
    }
    return wanted.may_match_below(walked.relative) ? WalkStep::enter : WalkStep::pass;
  };
  BERTH_TRY(auto end, walk_tree(call, session.workspace(), base, {}, visit));
  found.truncated = found.truncated || (!end.complete && end.unreadable.empty());
  found.unreadable = std::move(end.unreadable);
  found.content = text_of(found);
  return found;
}

}  // namespace

std::unique_ptr<Tool> make_search_files() {
  return make_tool<Arguments, Arguments, Matches>(
      {.info = {.name = "search_files",
                .title = "Find files by name",
                .description = "Find files and directories whose path below `path` matches a pattern, hidden ones too; "
                               "answers with absolute paths, one a line. To find files by what they hold, use grep.",
                .input_schema = {},
                .output_schema = {},
                .annotations = {.read_only = true, .idempotent = true},
                .needs = {.reads = true},
                .uses = {Operation::glob}},
       .operation = search,
       .render = [](const Arguments&, const Matches& found) { return found.content; },
       .render_error = kRenderError});
}

}  // namespace berth::tools::filesystem
