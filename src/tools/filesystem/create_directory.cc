#include <fmt/format.h>

#include "tools/filesystem/filesystem_internal.h"
#include "tools/make_directory.h"
#include "tools/make_tool.h"
#include "tools/text.h"

namespace berth::tools::filesystem {
namespace {

struct Arguments {
  std::string path;

  static const Fields<Arguments>& fields() {
    static const auto table =
        Fields<Arguments>().field("path", &Arguments::path, "The directory; missing parents are made", kRequired);
    return table;
  }
};

struct Made {
  std::string content;
  MakeDirectoryResponse plain;

  static const Fields<Made>& fields() {
    static const auto table = Fields<Made>().field("content", &Made::content, "The text").inlined(&Made::plain);
    return table;
  }
};

Result<MakeDirectoryRequest> to_request(const Arguments& arguments) {
  MakeDirectoryRequest request;
  BERTH_TRY(request.path, path_argument(arguments.path));
  return request;
}

Result<Made> make(const Call& call, ToolSession& session, const MakeDirectoryRequest& request, ProgressSink*) {
  BERTH_TRY(auto response, make_directory(call, session, request));
  return Made{fmt::format("{}: {}", response.created ? "Made the directory" : "The directory is there",
                          shown_name(request.path)),
              std::move(response)};
}

}  // namespace

std::unique_ptr<Tool> make_create_directory() {
  return make_tool<Arguments, MakeDirectoryRequest, Made>(
      {.info = {.name = "create_directory",
                .title = "Make a directory",
                .description = "Make a directory and its missing parents. One that exists is fine. write_file makes "
                               "directories by itself.",
                .input_schema = {},
                .output_schema = {},
                .annotations = {.idempotent = true},
                .needs = {.writes = true},
                .uses = {Operation::write}},
       .to_request = to_request,
       .operation = make,
       .render = [](const Arguments&, const Made& made) { return made.content; },
       .render_error = kRenderError});
}

}  // namespace berth::tools::filesystem
