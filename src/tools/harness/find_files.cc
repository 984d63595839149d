#include <fmt/format.h>

#include "path/pattern.h"
#include "tools/harness/harness_internal.h"
#include "tools/make_tool.h"
#include "tools/text.h"
#include "tools/tree_walk.h"
#include "tools/value_fields.h"

namespace berth::tools::harness {
namespace {

constexpr std::int64_t kMaxDirectories = 10'000;
constexpr std::int64_t kMaxEntries = 100'000;
constexpr std::size_t kUnreadableShown = 5;

struct Arguments {
  std::string pattern;
  std::string path = ".";

  static const Fields<Arguments>& fields() {
    static const auto table =
        Fields<Arguments>()
            .field("pattern", &Arguments::pattern,
                   "`*` and `?` stay within a name, `**` spans directories; a trailing `/` means directories only",
                   kRequired)
            .field("path", &Arguments::path, "The directory that the pattern is matched below");
    return table;
  }
};

struct FoundEntry {
  Path path;
  bool directory = false;

  static const Fields<FoundEntry>& fields() {
    static const auto table = Fields<FoundEntry>()
                                  .bytes("path", &FoundEntry::path, "From the root")
                                  .field("directory", &FoundEntry::directory, "");
    return table;
  }
};

struct FoundEntries {
  std::vector<FoundEntry> entries;
  bool truncated = false;           ///< more match than are shown
  bool complete = true;             ///< false: something was unreadable, or a bound ended the walk
  std::int64_t hidden_entries = 0;  ///< left out for their leading dot
  std::vector<Unreadable> unreadable;

  static const Fields<FoundEntries>& fields() {
    static const auto table =
        Fields<FoundEntries>()
            .field("entries", &FoundEntries::entries, "A directory before what it holds, names in order")
            .field("truncated", &FoundEntries::truncated, "More match than are shown")
            .field("complete", &FoundEntries::complete, "False: something was unreadable, or a bound ended the walk")
            .field("hidden_entries", &FoundEntries::hidden_entries, "Left out for their leading dot")
            .field("unreadable", &FoundEntries::unreadable, "What could not be looked at");
    return table;
  }
};

/// What a pattern wants.
struct Wanted {
  PathPattern named;    ///< leading dots only where the pattern has them
  PathPattern matched;  ///< the same with leading dots matched by wildcards
  bool directories_only = false;
};

Result<Wanted> compile(std::string_view pattern) {
  if (pattern.starts_with('/')) {
    return make_error(ErrorCode::invalid_argument, "the pattern must be relative to `path`")
        .with("argument", "pattern");
  }
  const bool directories_only = pattern.ends_with('/');
  while (pattern.ends_with('/')) pattern.remove_suffix(1);
  BERTH_TRY(auto named, PathPattern::compile(pattern, PatternGrammar::glob, LeadingDots::named));
  BERTH_TRY(auto matched, PathPattern::compile(pattern, PatternGrammar::glob, LeadingDots::matched));
  return Wanted{std::move(named), std::move(matched), directories_only};
}

Result<FoundEntries> find(const HarnessOptions& options, const Call& call, ToolSession& session,
                          const Arguments& arguments) {
  BERTH_TRY(const auto wanted, compile(arguments.pattern));
  BERTH_TRY(const auto base, session.workspace().resolve(arguments.path));
  BERTH_CHECK(session.permit(call, Operation::glob, arguments.path));
  FoundEntries found;
  const auto visit = [&](const WalkedEntry& walked) {
    const bool enterable = walked.entry.stat.kind == FileKind::directory;
    const bool is_directory = enterable || walked.entry.stat.target_is_directory;
    const bool fits = is_directory || !wanted.directories_only;
    const bool matches = fits && wanted.named.matches(walked.relative);
    const bool goes_below = enterable && wanted.named.may_match_below(walked.relative);
    if (matches && static_cast<std::int64_t>(found.entries.size()) >= options.max_list_results) {
      found.truncated = true;
      return WalkStep::stop;
    }
    if (matches) found.entries.push_back({walked.path, is_directory});
    const bool would_be_wanted = (fits && wanted.matched.matches(walked.relative)) ||
                                 (enterable && wanted.matched.may_match_below(walked.relative));
    if (walked.entry.name.starts_with('.') && !matches && !goes_below && would_be_wanted) ++found.hidden_entries;
    return goes_below ? WalkStep::enter : WalkStep::pass;
  };
  BERTH_TRY(auto end, walk_tree(call, session.workspace(), base,
                                {.max_directories = kMaxDirectories, .max_entries = kMaxEntries}, visit));
  found.complete = end.complete;
  found.unreadable = std::move(end.unreadable);
  return found;
}

std::string render(const HarnessOptions& options, const FoundEntries& found) {
  std::vector<std::string> lines;
  for (const auto& [path, directory] : found.entries) lines.push_back(shown_name(path.text()) + (directory ? "/" : ""));
  if (lines.empty()) lines.emplace_back("No matches found.");
  if (found.truncated) lines.push_back(fmt::format("[... truncated at {} matches]", options.max_list_results));
  if (found.hidden_entries > 0) lines.push_back(fmt::format("[{} hidden entries omitted]", found.hidden_entries));
  if (!found.unreadable.empty()) lines.push_back(unreadable_line(found.unreadable));
  if (!found.complete && found.unreadable.empty() && !found.truncated) {
    lines.push_back(fmt::format("[the tree is larger than {} directories or {} entries; not all of it was looked at]",
                                kMaxDirectories, kMaxEntries));
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

}  // namespace

std::string unreadable_line(const std::vector<Unreadable>& unreadable) {
  std::vector<std::string> names;
  for (const auto& one : unreadable) {
    if (names.size() == kUnreadableShown) break;
    names.push_back(fmt::format("{} ({})", shown_name(one.path.text()), error_info(one.code).name));
  }
  const bool all = names.size() == unreadable.size();
  return fmt::format("[{} could not be read: {}{}]", counted(static_cast<std::int64_t>(unreadable.size()), "path"),
                     fmt::join(names, ", "), all ? "" : ", ...");
}

std::unique_ptr<Tool> make_find_files(const HarnessOptions& options) {
  return make_tool<Arguments, Arguments, FoundEntries>(
      {.info = {.name = "find_files",
                .title = "Find files by name",
                .description =
                    "Find files and directories whose path below `path` matches a glob pattern; `**/*.py` "
                    "finds at any depth. Directories end with `/`. Hidden names match only where the pattern "
                    "has the dot.",
                .input_schema = {},
                .output_schema = {},
                .annotations = {.read_only = true, .idempotent = true},
                .needs = {.reads = true},
                .uses = {Operation::glob}},
       .operation = [options](const Call& call, ToolSession& session, const Arguments& arguments,
                              ProgressSink*) { return find(options, call, session, arguments); },
       .render = [options](const Arguments&, const FoundEntries& found) { return render(options, found); },
       .render_error = kRenderError});
}

}  // namespace berth::tools::harness
