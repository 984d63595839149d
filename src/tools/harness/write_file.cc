#include "tools/write_file.h"

#include <fmt/format.h>

#include "tools/harness/harness_internal.h"
#include "tools/line_layouts.h"
#include "tools/make_tool.h"
#include "tools/text.h"

namespace berth::tools::harness {
namespace {

struct Arguments {
  std::string path;
  std::string content;
  std::optional<std::string> expected_hash;

  static const Fields<Arguments>& fields() {
    static const auto table =
        Fields<Arguments>()
            .field("path", &Arguments::path, "The file; missing directories are made", kRequired)
            .field("content", &Arguments::content, "Everything that the file shall hold", kRequired)
            .field("expected_hash", &Arguments::expected_hash, "Overwrite only what still has this hash");
    return table;
  }
};

Result<WriteFileResponse> write(const Call& call, ToolSession& session, const Arguments& arguments, ProgressSink*) {
  WriteFileRequest request;
  request.path = arguments.path;
  request.content = arguments.content;
  BERTH_CHECK(session.permit(call, Operation::write, arguments.path));
  BERTH_TRY(request.expected_revision, expected_revision(call, session, arguments.path, arguments.expected_hash));
  BERTH_TRY(auto response, permitted_write_file(call, session, request));
  BERTH_TRY(response.path, shown_path(session, arguments.path));
  return response;
}

}  // namespace

std::unique_ptr<Tool> make_write_file(const HarnessOptions& options) {
  return make_tool<Arguments, Arguments, WriteFileResponse>(
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
       .operation = write,
       .render =
           [options](const Arguments& arguments, const WriteFileResponse& response) {
             return fmt::format("Wrote {} chars ({} lines) to {}.{}", count_characters(arguments.content),
                                response.lines, shown_name(response.path),
                                hash_part(options, response.revision, " [", "]"));
           },
       .render_error = kRenderError});
}

}  // namespace berth::tools::harness
