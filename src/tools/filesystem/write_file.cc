#include "tools/write_file.h"

#include <fmt/format.h>

#include "tools/filesystem/filesystem_internal.h"
#include "tools/make_tool.h"
#include "tools/text.h"

namespace berth::tools::filesystem {
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

struct Written {
  std::string content;
  WriteFileResponse plain;

  static const Fields<Written>& fields() {
    static const auto table =
        Fields<Written>().field("content", &Written::content, "The text").inlined(&Written::plain);
    return table;
  }
};

Result<WriteFileRequest> to_request(const Arguments& arguments) {
  WriteFileRequest request;
  BERTH_TRY(request.path, path_argument(arguments.path));
  request.content = arguments.content;
  return request;
}

Result<Written> write(const Call& call, ToolSession& session, const WriteFileRequest& request, ProgressSink*) {
  BERTH_TRY(auto response, write_file(call, session, request));
  return Written{fmt::format("Wrote {} to {}", counted(response.bytes, "byte"), shown_name(request.path)),
                 std::move(response)};
}

}  // namespace

std::unique_ptr<Tool> make_write_file() {
  return make_tool<Arguments, WriteFileRequest, Written>(
      {.info = {.name = "write_file",
                .title = "Write a file",
                .description =
                    "Make a file, or replace all that it holds. A file that changed since you read it is not "
                    "overwritten: read it again first. To change a part, use edit_file.",
                .input_schema = {},
                .output_schema = {},
                .annotations = {.destructive = true, .idempotent = true},
                .needs = {.reads = true, .writes = true},
                .uses = {Operation::write}},
       .to_request = to_request,
       .operation = write,
       .render = [](const Arguments&, const Written& written) { return written.content; },
       .render_error = kRenderError});
}

}  // namespace berth::tools::filesystem
