#include "tools/make_directory.h"

#include <fmt/format.h>

#include "tools/harness/harness_internal.h"
#include "tools/make_tool.h"

namespace berth::tools::harness {
namespace {

struct Arguments {
  std::string path;

  static const Fields<Arguments>& fields() {
    static const auto table =
        Fields<Arguments>().field("path", &Arguments::path, "The directory; missing parents are made", kRequired);
    return table;
  }
};

}  // namespace

std::unique_ptr<Tool> make_create_directory() {
  return make_tool<Arguments, MakeDirectoryRequest, MakeDirectoryResponse>(
      {.info = {.name = "create_directory",
                .title = "Make a directory",
                .description = "Make a directory and its missing parents. One that exists is fine.",
                .input_schema = {},
                .output_schema = {},
                .annotations = {.idempotent = true},
                .needs = {.writes = true},
                .uses = {Operation::write}},
       .to_request = [](const Arguments& arguments) -> Result<MakeDirectoryRequest> {
         MakeDirectoryRequest request;
         request.path = arguments.path;
         return request;
       },
       .operation = [](const Call& call, ToolSession& session, const MakeDirectoryRequest& request,
                       ProgressSink*) { return make_directory(call, session, request); },
       .render = [](const Arguments& arguments,
                    const MakeDirectoryResponse&) { return fmt::format("Created directory: {}", arguments.path); },
       .render_error = kRenderError});
}

}  // namespace berth::tools::harness
