#include <algorithm>
#include <ctime>
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "surface/cli/json_internal.h"
#include "surface/cli/progress.h"
#include "surface/cli/verbs.h"

namespace berth::cli {
namespace {

std::string mode_text(const FileStat& stat) {
  std::string text = "?rwxrwxrwx";
  switch (stat.kind) {
    case FileKind::file: text[0] = '-'; break;
    case FileKind::directory: text[0] = 'd'; break;
    case FileKind::symlink: text[0] = 'l'; break;
    case FileKind::other: break;
  }
  // A link has no permissions of its own.
  if (stat.kind == FileKind::symlink) return text;
  for (std::size_t bit = 0; bit < 9; ++bit) {
    if ((stat.mode & (0400U >> bit)) == 0) text[bit + 1] = '-';
  }
  return text;
}

std::string time_text(const FileStat& stat) {
  const std::time_t seconds =
      std::chrono::system_clock::to_time_t(std::chrono::floor<std::chrono::seconds>(stat.modified_at));
  return fmt::format("{:%Y-%m-%d %H:%M}", fmt::localtime(seconds));
}

void print_entry(Console& console, const DirectoryEntry& entry, std::size_t size_width) {
  const auto& stat = entry.stat;
  console.out(Tone::dim, mode_text(stat));
  console.out(fmt::format("  {:>{}}  ", stat.size, size_width));
  console.out(Tone::dim, time_text(stat));
  console.out("  ");
  switch (stat.kind) {
    case FileKind::directory:
      console.out_name(Tone::directory, entry.name);
      console.out("/");
      break;
    case FileKind::symlink:
      console.out_name(Tone::link, entry.name);
      console.out(" -> ");
      console.out_name(Tone::plain, stat.link_target.value_or(""));
      break;
    default: console.out_name(stat.git_mode == GitMode::executable ? Tone::program : Tone::plain, entry.name);
  }
  console.out("\n");
}

Result<int> list_directory(Session& session, const std::string& path) {
  BERTH_TRY(Workspace * workspace, session.workspace_for(Operation::ls, path));
  BERTH_TRY(const auto listing, workspace->list_directory(session.call(), path));
  if (session.json) {
    Json object = path_object(path);
    Json entries = Json::array();
    for (const auto& entry : listing.entries) {
      Json one = Json::object();
      put_bytes(one, "name", entry.name);
      one.update(to_json(entry.stat));
      entries.push_back(std::move(one));
    }
    object["entries"] = std::move(entries);
    print_json(session, object);
    return 0;
  }
  std::size_t width = 1;
  for (const auto& entry : listing.entries) width = std::max(width, std::to_string(entry.stat.size).size());
  for (const auto& entry : listing.entries) print_entry(session.console, entry, width);
  return 0;
}

struct ListArguments {
  std::string pattern = "**/*";
  std::string path = ".";
  std::optional<std::int64_t> limit;
  std::string cursor;
  bool hidden = false;
  bool ignored = false;
  bool null = false;
};

void print_page(Session& session, const ListPage& page, const ListArguments& arguments) {
  if (session.json) {
    Json paths = Json::array();
    for (const auto& path : page.paths) paths.push_back(path_object(path.text()));
    Json object = {{"files", std::move(paths)}, {"total", page.total}, {"truncated", page.truncated}};
    if (page.truncated) object["cursor"] = page.cursor;
    object["complete"] = page.complete;
    object["unreadable"] = to_json(page.unreadable);
    print_json(session, object);
    return;
  }
  for (const auto& path : page.paths) {
    if (arguments.null) {
      session.console.out(path.text());
      session.console.out(std::string_view("\0", 1));
    } else {
      session.console.out_name(Tone::plain, path.text());
      session.console.out("\n");
    }
  }
  for (const auto& one : page.unreadable) {
    session.console.note(
        fmt::format("berth: {}: left out: {}", escape_for_terminal(one.path.text()), error_info(one.code).name));
  }
  if (page.truncated) {
    session.console.note(
        fmt::format("berth: {} of {} files shown; go on with --cursor {}", page.paths.size(), page.total, page.cursor));
  }
}

ListOptions options_of(const ListArguments& arguments) {
  return {.filter = {.hidden = arguments.hidden, .ignored = arguments.ignored},
          .limit = arguments.limit,
          .cursor = arguments.cursor};
}

Result<int> run_list(Session& session, const ListArguments& arguments) {
  BERTH_TRY(Workspace * workspace, session.workspace_for(Operation::glob, "."));
  const Progress progress(session.console, "listing");
  BERTH_TRY(const auto page, workspace->list(session.call(), arguments.pattern, options_of(arguments)));
  print_page(session, page, arguments);
  return 0;
}

Result<int> run_glob(Session& session, const ListArguments& arguments) {
  BERTH_TRY(Workspace * workspace, session.workspace_for(Operation::glob, arguments.path));
  const Progress progress(session.console, "listing");
  BERTH_TRY(const auto page, workspace->glob(session.call(), arguments.pattern, arguments.path, options_of(arguments)));
  print_page(session, page, arguments);
  return 0;
}

void add_page_options(CLI::App& verb, ListArguments& arguments) {
  verb.add_option("--limit", arguments.limit, "At most this many files")->type_name("N");
  verb.add_option("--cursor", arguments.cursor, "Go on where a page ended")->type_name("CURSOR");
  verb.add_flag("-0,--null", arguments.null, "End each path with a NUL byte instead of a newline");
}

}  // namespace

void add_listing_verbs(CLI::App& app, Session& session) {
  {
    auto path = std::make_shared<std::string>(".");
    auto* verb = app.add_subcommand("ls", "List one directory: mode, size, time and name");
    verb->add_option("path", *path, "The directory")->type_name("PATH");
    verb->footer(
        "Links are shown with their target and never followed; of a link to a directory, list `LINK/.`.\n"
        "  berth ls src");
    verb->callback([&session, path] { session.action = [&session, path] { return list_directory(session, *path); }; });
  }
  {
    auto arguments = std::make_shared<ListArguments>();
    arguments->hidden = arguments->ignored = true;
    auto* verb = app.add_subcommand("list", "List every file whose whole path matches a pattern");
    verb->add_option("pattern", arguments->pattern, "`*` `?` `[...]` within a name, `**` for any directories")
        ->type_name("PATTERN");
    add_page_options(*verb, *arguments);
    verb->add_flag("!--no-hidden", arguments->hidden, "Leave out names that start with a dot");
    verb->add_flag("!--no-ignored", arguments->ignored, "Leave out what git ignores");
    verb->footer(
        "Everything is listed, hidden and ignored files too, sorted by bytes. See also `glob`.\n"
        "  berth list 'src/**/*.h'");
    verb->callback(
        [&session, arguments] { session.action = [&session, arguments] { return run_list(session, *arguments); }; });
  }
  {
    auto arguments = std::make_shared<ListArguments>();
    auto* verb = app.add_subcommand("glob", "Find files by name, as an agent's tool does");
    verb->add_option("pattern", arguments->pattern, "As for `list`, and `{a,b}`")->type_name("PATTERN")->required();
    verb->add_option("path", arguments->path, "The directory to look below")->type_name("PATH");
    add_page_options(*verb, *arguments);
    verb->add_flag("--hidden", arguments->hidden, "Take names that start with a dot");
    verb->add_flag("--ignored", arguments->ignored, "Take what git ignores");
    verb->footer(
        "Hidden and ignored files are passed over unless asked for.\n"
        "  berth glob '**/*_{test,bench}.cc' src");
    verb->callback(
        [&session, arguments] { session.action = [&session, arguments] { return run_glob(session, *arguments); }; });
  }
}

}  // namespace berth::cli
