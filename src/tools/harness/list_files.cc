#include "tools/list_files.h"

#include <algorithm>

#include <fmt/format.h>

#include "tools/harness/harness_internal.h"
#include "tools/make_tool.h"
#include "tools/text.h"

namespace berth::tools::harness {
namespace {

struct Arguments {
  std::string path = ".";
  std::optional<std::string> glob;

  static const Fields<Arguments>& fields() {
    static const auto table =
        Fields<Arguments>()
            .field("path", &Arguments::path, "The directory to look below")
            .field("glob", &Arguments::glob, "Only files that match; without a slash at any depth");
    return table;
  }
};

std::string listing_text(const ListFilesResponse& response) {
  std::vector<std::string> lines;
  for (const auto& file : response.files) lines.push_back(shown_name(file.path.text()));
  if (lines.empty()) lines.emplace_back("No files found.");
  if (response.truncated) lines.push_back(fmt::format("[... truncated at {} files]", response.files.size()));
  if (!response.unreadable.empty()) lines.push_back(unreadable_line(response.unreadable));
  return fmt::format("{}", fmt::join(lines, "\n"));
}

}  // namespace

std::unique_ptr<Tool> make_list_files(const HarnessOptions& options) {
  return make_tool<Arguments, GlobRequest, ListFilesResponse>(
      {.info = {.name = "list_files",
                .title = "List all files",
                .description = "List the files below a directory, sorted, a path a line. Hidden files and what git "
                               "ignores are passed over, unless the glob names a hidden part.",
                .input_schema = {},
                .output_schema = {},
                .annotations = {.read_only = true, .idempotent = true},
                .needs = {.reads = true, .search = true},
                .uses = {Operation::glob}},
       .to_request = [options](const Arguments& arguments) -> Result<GlobRequest> {
         GlobRequest request;
         request.path = arguments.path;
         request.pattern = any_depth(arguments.glob.value_or("*"));
         request.limit = options.max_list_results;
         return request;
       },
       .operation = [](const Call& call, ToolSession& session, const GlobRequest& request,
                       ProgressSink*) { return glob(call, session, request); },
       .render = [](const Arguments&, const ListFilesResponse& response) { return listing_text(response); },
       .render_error = kRenderError});
}

}  // namespace berth::tools::harness
