#include "tools/write_file.h"

#include <fmt/format.h>

#include "tools/console/console_internal.h"
#include "tools/make_tool.h"

namespace berth::tools::console {
namespace {

struct Arguments {
  std::string path;
  std::string content;

  static const Fields<Arguments>& fields() {
    static const auto table =
        Fields<Arguments>()
            .field("path", &Arguments::path, "The file; missing directories are made", kRequired)
            .field("content", &Arguments::content, "Everything that the file shall hold", kRequired);
    return table;
  }
};

}  // namespace

std::unique_ptr<Tool> make_write_file() {
  return make_tool<Arguments, WriteFileRequest, WriteFileResponse>(
      {.info = {.name = "write_file",
                .title = "Write a file",
                .description =
                    "Make a file, or replace all that it holds. A file that changed since you read it is not "
                    "overwritten: read it again first.",
                .input_schema = {},
                .output_schema = {},
                .annotations = {.destructive = true, .idempotent = true},
                .needs = {.reads = true, .writes = true},
                .uses = {Operation::write}},
       .to_request = [](const Arguments& arguments) -> Result<WriteFileRequest> {
         WriteFileRequest request;
         request.path = arguments.path;
         request.content = arguments.content;
         return request;
       },
       .operation = [](const Call& call, ToolSession& session, const WriteFileRequest& request,
                       ProgressSink*) { return write_file(call, session, request); },
       .render =
           [](const Arguments& arguments, const WriteFileResponse& response) {
             return fmt::format("Wrote {} lines to {}", response.lines, arguments.path);
           },
       .render_error = kRenderError<Steering::retries>});
}

}  // namespace berth::tools::console
