#include <charconv>
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "surface/cli/json_internal.h"
#include "surface/cli/verbs.h"

namespace berth::cli {
namespace {

// Files up to this size are read in one piece, which is one consistent state of the file.
constexpr std::int64_t kPieceBytes = 8 * 1024 * 1024;

struct ReadArguments {
  std::string path;
  std::string lines;
  std::optional<std::int64_t> offset;
  std::optional<std::int64_t> max_bytes;
};

std::optional<std::int64_t> try_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

// `A:B`, `A:`, `:B` or `A`; both ends belong to the range.
Result<LineRange> parse_lines(std::string_view text) {
  const auto wrong = [text] {
    return make_error(ErrorCode::invalid_argument, fmt::format("`{}` is no range of lines", text));
  };
  const auto colon = text.find(':');
  const auto first_text = text.substr(0, colon);
  LineRange range;
  range.max_bytes = kPieceBytes;
  if (!first_text.empty()) {
    const auto first = try_number(first_text);
    if (!first || *first < 1) return wrong().with("expected", "A:B, A:, :B or A, counted from 1");
    range.first = *first;
  }
  if (colon == std::string_view::npos) {
    range.count = 1;
  } else if (const auto last_text = text.substr(colon + 1); !last_text.empty()) {
    const auto last = try_number(last_text);
    if (!last || *last < range.first) return wrong().with("expected", "A:B with A not after B");
    range.count = *last - range.first + 1;
  } else if (first_text.empty()) {
    return wrong().with("expected", "A:B, A:, :B or A, counted from 1");
  }
  return range;
}

void put_page(Json& object, const ReadPage& page) {
  put_bytes(object, "content", page.content);
  object["offset"] = page.offset;
  object["total_bytes"] = page.total_bytes;
  object["truncated"] = page.truncated;
  if (page.next_offset) object["next_offset"] = *page.next_offset;
  if (page.revision) object["revision"] = page.revision->text;
  if (page.git_mode) object["git_mode"] = git_mode_name(*page.git_mode);
  object["token"] = page.token.text();
}

void put_page(Json& object, const LinePage& page) {
  put_bytes(object, "content", page.content);
  object["first_line"] = page.first_line;
  object["line_count"] = page.line_count;
  object["first_offset"] = page.first_offset;
  object["total_bytes"] = page.total_bytes;
  if (page.total_lines) object["total_lines"] = *page.total_lines;
  object["truncated"] = page.truncated;
  if (page.line_cut) object["line_cut"] = true;
  if (page.next_line) object["next_line"] = *page.next_line;
  object["token"] = page.token.text();
}

Error changed_between_pages(const std::string& path) {
  return make_error(ErrorCode::changed_during_read, "the file changed while its pages were printed").at(path);
}

// Pages of one state of the file: memory stays one page, and a change in between is an error, never a mix.
Result<int> print_lines(Session& session, Workspace& workspace, const std::string& path, LineRange range) {
  std::optional<ChangeToken> token;
  std::int64_t wanted = range.count.value_or(-1);
  while (true) {
    BERTH_TRY(const auto page, workspace.read_lines(session.call(), path, range));
    if (token && page.token != *token) return changed_between_pages(path);
    token = page.token;
    session.console.out(page.content);
    if (page.line_cut)
      session.console.note(fmt::format("berth: line {} is cut", page.first_line + page.line_count - 1));
    if (wanted >= 0) wanted -= page.line_count;
    if (!page.truncated || !page.next_line || wanted == 0) return 0;
    range.first = *page.next_line;
    if (wanted > 0) range.count = wanted;
  }
}

Result<int> print_bytes(Session& session, Workspace& workspace, const ReadArguments& arguments) {
  ReadRange range{.offset = arguments.offset.value_or(0), .max_bytes = {}, .want_revision = WantRevision::no};
  std::int64_t wanted = arguments.max_bytes.value_or(-1);
  std::optional<ChangeToken> token;
  while (true) {
    range.max_bytes = wanted >= 0 ? std::min(wanted, kPieceBytes) : kPieceBytes;
    BERTH_TRY(const auto page, workspace.read(session.call(), arguments.path, range));
    if (token && page.token != *token) return changed_between_pages(arguments.path);
    token = page.token;
    session.console.out(page.content);
    if (wanted >= 0) wanted -= static_cast<std::int64_t>(page.content.size());
    if (!page.truncated || wanted == 0) return 0;
    range.offset = *page.next_offset;
  }
}

Result<int> run_read(Session& session, const ReadArguments& arguments) {
  if (!arguments.lines.empty() && (arguments.offset || arguments.max_bytes)) {
    return make_error(ErrorCode::invalid_argument, "--lines excludes --offset and --max-bytes");
  }
  BERTH_TRY(Workspace * workspace, session.workspace_for(Operation::read, arguments.path));
  if (!arguments.lines.empty()) {
    BERTH_TRY(const auto range, parse_lines(arguments.lines));
    if (!session.json) return print_lines(session, *workspace, arguments.path, range);
    BERTH_TRY(const auto page, workspace->read_lines(session.call(), arguments.path, range));
    Json object = path_object(arguments.path);
    put_page(object, page);
    print_json(session, object);
    return 0;
  }
  if (!session.json) return print_bytes(session, *workspace, arguments);
  BERTH_TRY(const auto page,
            workspace->read(session.call(), arguments.path,
                            {.offset = arguments.offset.value_or(0), .max_bytes = arguments.max_bytes}));
  Json object = path_object(arguments.path);
  put_page(object, page);
  print_json(session, object);
  return 0;
}

Result<int> run_stat(Session& session, const std::string& path, FollowLeaf follow) {
  BERTH_TRY(Workspace * workspace, session.workspace_for(Operation::ls, path));
  BERTH_TRY(const auto stat, workspace->stat(session.call(), path, follow));
  Json object = path_object(path);
  object.update(to_json(stat));
  if (session.json) {
    print_json(session, object);
    return 0;
  }
  for (const auto& [key, value] : object.items()) {
    session.console.out(Tone::dim, fmt::format("{:>20}  ", key));
    session.console.out_name(Tone::plain, value.is_string() ? value.get<std::string>() : value.dump());
    session.console.out("\n");
  }
  return 0;
}

}  // namespace

void add_reading_verbs(CLI::App& app, Session& session) {
  {
    auto arguments = std::make_shared<ReadArguments>();
    auto* verb = app.add_subcommand("read", "Print a file, or a page of it, byte for byte");
    verb->add_option("path", arguments->path, "The file")->type_name("PATH")->required();
    verb->add_option("--lines", arguments->lines, "Lines A to B, from 1; A:, :B and A work too")->type_name("A:B");
    verb->add_option("--offset", arguments->offset, "The first byte")->type_name("N");
    verb->add_option("--max-bytes", arguments->max_bytes, "At most this many bytes")->type_name("N");
    verb->footer(
        "With --json, a complete read also gives the revision that `write`, `edit` and `mv` compare with.\n"
        "  berth read README.md --lines 1:20");
    verb->callback(
        [&session, arguments] { session.action = [&session, arguments] { return run_read(session, *arguments); }; });
  }
  {
    struct StatArguments {
      std::string path;
      bool no_follow = false;
    };
    auto arguments = std::make_shared<StatArguments>();
    auto* verb = app.add_subcommand("stat", "Describe what stands at a path");
    verb->add_option("path", arguments->path, "A file, directory or link")->type_name("PATH")->required();
    verb->add_flag("--no-follow", arguments->no_follow, "Describe a link itself instead of what it leads to");
    verb->footer("The token changes with any write, chmod or replacement.\n  berth stat Makefile");
    verb->callback([&session, arguments] {
      session.action = [&session, arguments] {
        return run_stat(session, arguments->path, arguments->no_follow ? FollowLeaf::no : FollowLeaf::yes);
      };
    });
  }
}

}  // namespace berth::cli
