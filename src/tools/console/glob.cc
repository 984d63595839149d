#include <fmt/format.h>

#include "tools/console/console_internal.h"
#include "tools/list_files.h"
#include "tools/make_tool.h"
#include "tools/text.h"

namespace berth::tools::console {
namespace {

constexpr std::int64_t kShown = 100;

struct Arguments {
  std::string pattern;
  std::string path = ".";

  static const Fields<Arguments>& fields() {
    static const auto table =
        Fields<Arguments>()
            .field("pattern", &Arguments::pattern,
                   "`*` `?` `[…]` within a name, `**` for any directories, `{a,b}` for either; without a slash it "
                   "matches at any depth",
                   kRequired)
            .field("path", &Arguments::path, "The directory to look below");
    return table;
  }
};

/// The files as this profile spells them.
struct Listing {
  ListFilesResponse plain;
  std::vector<std::string> paths;

  static const Fields<Listing>& fields() {
    static const auto table = Fields<Listing>().inlined(&Listing::plain);
    return table;
  }
};

Result<Listing> find(const Call& call, ToolSession& session, const GlobRequest& request, ProgressSink*) {
  BERTH_TRY(auto response, glob(call, session, request));
  Listing listing{.plain = std::move(response), .paths = {}};
  for (const auto& file : listing.plain.files) listing.paths.push_back(spelled(session.workspace(), file.path));
  return listing;
}

std::string render(const Arguments& arguments, const Listing& listing) {
  std::string text;
  if (listing.paths.empty()) {
    text = fmt::format("No files matching '{}' in {}", arguments.pattern, arguments.path);
  } else {
    text = fmt::format("Found {} file(s) matching '{}':", listing.plain.total, arguments.pattern);
  }
  for (const auto& path : listing.paths) text += "\n  " + path;
  const auto left_out = listing.plain.total - static_cast<std::int64_t>(listing.paths.size());
  if (left_out > 0) text += fmt::format("\n  ... and {} more", left_out);
  return text + unreadable_lines(listing.plain.unreadable);
}

}  // namespace

std::unique_ptr<Tool> make_glob() {
  return make_tool<Arguments, GlobRequest, Listing>(
      {.info = {.name = "glob",
                .title = "Find files by name",
                .description =
                    "Find files whose path below `path` matches a pattern, such as `src/**/*.{js,ts}`. Hidden "
                    "names match only where the pattern has the dot; what git ignores is passed over.",
                .input_schema = {},
                .output_schema = {},
                .annotations = {.read_only = true, .idempotent = true},
                .needs = {.reads = true, .search = true},
                .uses = {Operation::glob}},
       .to_request = [](const Arguments& arguments) -> Result<GlobRequest> {
         GlobRequest request;
         const bool at_any_depth = arguments.pattern.find('/') == std::string::npos;
         request.pattern = at_any_depth ? "**/" + arguments.pattern : arguments.pattern;
         // Every spelling of the root.
         request.path = arguments.path.empty() || arguments.path == "/" ? "." : arguments.path;
         request.limit = kShown;
         return request;
       },
       .operation = find,
       .render = render,
       .render_error = kRenderError<Steering::never_retries>});
}

}  // namespace berth::tools::console
