#include <algorithm>

#include <fmt/format.h>

#include "tools/grep.h"
#include "tools/harness/harness_internal.h"
#include "tools/make_tool.h"
#include "tools/text.h"
#include "tools/value_fields.h"

namespace berth::tools::harness {
namespace {

constexpr std::int64_t kMostContext = 20;
constexpr std::size_t kLineBytes = 4096;

struct SearchArguments {
  std::string pattern;
  std::string path = ".";
  std::optional<std::string> include_glob;

  static const Fields<SearchArguments>& fields() {
    static const auto table =
        Fields<SearchArguments>()
            .field("pattern", &SearchArguments::pattern, "A regular expression (RE2 syntax)", kRequired)
            .field("path", &SearchArguments::path, "A directory, or one file")
            .field("include_glob", &SearchArguments::include_glob, "Only files that match, such as `*.{py,md}`");
    return table;
  }
};

struct GrepArguments {
  std::string pattern;
  std::string path = ".";
  std::optional<std::string> glob;
  std::optional<std::string> file_type;
  bool ignore_case = false;
  bool literal = false;
  std::int64_t context = 0;

  static const Fields<GrepArguments>& fields() {
    static const auto table =
        Fields<GrepArguments>()
            .field("pattern", &GrepArguments::pattern, "A regular expression (RE2 syntax), or text when `literal`",
                   kRequired)
            .field("path", &GrepArguments::path, "A directory, or one file")
            .field("glob", &GrepArguments::glob, "Only files that match, such as `*.{py,md}`")
            .field("file_type", &GrepArguments::file_type, "Only files whose names end so, such as `py`")
            .field("ignore_case", &GrepArguments::ignore_case, "")
            .field("literal", &GrepArguments::literal, "`pattern` is plain text")
            .field("context", &GrepArguments::context, "Lines to show around each match",
                   {.minimum = 0, .maximum = kMostContext});
    return table;
  }
};

/// Writes `path:line:text` for matches and `path-line-text` for what stands around them, each line once.
class Lines {
 public:
  explicit Lines(const GrepResponse& response) : response_(response) {}

  std::vector<std::string> all() {
    for (std::size_t i = 0; i < response_.matches.size(); ++i) put(i);
    return std::move(lines_);
  }

 private:
  void put(std::size_t index) {
    const auto& match = response_.matches[index];
    const auto number = match.line.value_or(0);
    if (path_ != match.path) shown_ = 0;
    path_ = match.path;
    if (match.before) {
      auto first = number - static_cast<std::int64_t>(match.before->size());
      for (const auto& line : *match.before) put_line('-', first++, line);
    }
    put_line(':', number, match.text.value_or(""));
    if (!match.after) return;
    // The next match of the file shows itself.
    const auto* next = index + 1 < response_.matches.size() ? &response_.matches[index + 1] : nullptr;
    auto after = number + 1;
    for (const auto& line : *match.after) {
      if (next != nullptr && next->path == path_ && after >= next->line.value_or(0)) break;
      put_line('-', after++, line);
    }
  }

  void put_line(char mark, std::int64_t number, BytesView line) {
    if (number <= shown_) return;
    shown_ = number;
    lines_.push_back(
        fmt::format("{}{}{}{}{}", shown_name(path_.text()), mark, number, mark, line_excerpt(line, kLineBytes)));
  }

  const GrepResponse& response_;
  std::vector<std::string> lines_;
  Path path_;
  std::int64_t shown_ = 0;  ///< the last line of the file that was written
};

std::string render(const GrepResponse& response, std::string_view truncated) {
  auto lines = Lines(response).all();
  if (lines.empty()) {
    lines.emplace_back("No matches found.");
    if (response.files_binary > 0) {
      lines.push_back(fmt::format("[{} not searched]", counted(response.files_binary, "binary file")));
    }
  }
  if (response.next_offset) {
    lines.push_back(fmt::format("[... truncated at {}{}]", counted(*response.next_offset, "line"), truncated));
  } else if (response.stopped_by) {
    lines.push_back(
        fmt::format("[not everything was searched: it ended at the bound `{}`]", enum_name(*response.stopped_by)));
  }
  if (!response.unreadable.empty()) lines.push_back(unreadable_line(response.unreadable));
  return fmt::format("{}", fmt::join(lines, "\n"));
}

Result<GrepResponse> search(const Call& call, ToolSession& session, const GrepRequest& request, ProgressSink*) {
  return grep(call, session, request);
}

Result<GrepRequest> to_request(const HarnessOptions& options, const GrepArguments& arguments) {
  GrepRequest request;
  request.pattern = arguments.pattern;
  request.path = arguments.path;
  request.glob = arguments.glob.value_or("");
  if (arguments.file_type) {
    if (arguments.glob) {
      return make_error(ErrorCode::invalid_argument, "give `glob` or `file_type`, not both")
          .with("argument", "file_type");
    }
    request.glob = "*." + *arguments.file_type;
  }
  request.ignore_case = arguments.ignore_case;
  request.literal = arguments.literal;
  request.context = arguments.context;
  request.limit = options.max_search_results;
  return request;
}

}  // namespace

std::unique_ptr<Tool> make_search_files(const HarnessOptions& options) {
  return make_tool<SearchArguments, GrepRequest, GrepResponse>(
      {.info = {.name = "search_files",
                .title = "Search files by content",
                .description =
                    "Find lines that match a pattern, as `path:line:text`. Hidden files, binary files and what "
                    "git ignores are passed over.",
                .input_schema = {},
                .output_schema = {},
                .annotations = {.read_only = true, .idempotent = true},
                .needs = {.reads = true, .search = true},
                .uses = {Operation::grep}},
       .to_request = [options](const SearchArguments& arguments) -> Result<GrepRequest> {
         GrepRequest request;
         request.pattern = arguments.pattern;
         request.path = arguments.path;
         request.glob = arguments.include_glob.value_or("");
         request.limit = options.max_search_results;
         return request;
       },
       .operation = search,
       .render = [](const SearchArguments&,
                    const GrepResponse& response) { return render(response, " or search output byte limit"); },
       .render_error = kRenderError});
}

std::unique_ptr<Tool> make_grep(const HarnessOptions& options) {
  return make_tool<GrepArguments, GrepRequest, GrepResponse>(
      {.info = {.name = "grep",
                .title = "Search files by content",
                .description =
                    "Find lines that match a pattern, as `path:line:text` (context as `path-line-text`). Hidden "
                    "files, binary files and what git ignores are passed over.",
                .input_schema = {},
                .output_schema = {},
                .annotations = {.read_only = true, .idempotent = true},
                .needs = {.reads = true, .search = true},
                .uses = {Operation::grep}},
       .to_request = [options](const GrepArguments& arguments) { return to_request(options, arguments); },
       .operation = search,
       .render = [](const GrepArguments&, const GrepResponse& response) { return render(response, ""); },
       .render_error = kRenderError});
}

}  // namespace berth::tools::harness
