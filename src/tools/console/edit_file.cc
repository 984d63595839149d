#include "tools/edit_file.h"

#include <numeric>

#include <fmt/format.h>

#include "tools/console/console_internal.h"
#include "tools/make_tool.h"
#include "tools/text_only.h"

namespace berth::tools::console {
namespace {

struct Arguments {
  std::string path;
  std::string old_string;
  std::string new_string;
  bool replace_all = false;

  static const Fields<Arguments>& fields() {
    static const auto table =
        Fields<Arguments>()
            .field("path", &Arguments::path, "The file", kRequired)
            .field("old_string", &Arguments::old_string, "The text to replace, exactly as it stands in the file",
                   kRequired)
            .field("new_string", &Arguments::new_string, "The text to put in its place; empty removes it", kRequired)
            .field("replace_all", &Arguments::replace_all, "Replace every match");
    return table;
  }
};

Result<EditFileResponse> edit(const Call& call, ToolSession& session, const EditFileRequest& request, ProgressSink*) {
  BERTH_CHECK(session.permit(call, Operation::edit, request.path));
  BERTH_CHECK(check_is_text(call, session, request.path));
  return permitted_edit_file(call, session, request);
}

}  // namespace

std::unique_ptr<Tool> make_edit_file() {
  return make_tool<Arguments, EditFileRequest, EditFileResponse>(
      {.info = {.name = "edit_file",
                .title = "Edit a file",
                .description =
                    "Replace text in a file. `old_string` must match exactly, white space included, and only "
                    "once unless `replace_all` is true: add lines around it until it is unique. A file that "
                    "changed since you read it is not edited: read it again first.",
                .input_schema = {},
                .output_schema = {},
                .annotations = {.destructive = true},
                .needs = {.reads = true, .writes = true},
                .uses = {Operation::edit}},
       .to_request = [](const Arguments& arguments) -> Result<EditFileRequest> {
         EditFileRequest request;
         request.path = arguments.path;
         request.edits.push_back({.old_text = arguments.old_string,
                                  .new_text = arguments.new_string,
                                  .count = 1,
                                  .all = arguments.replace_all});
         return request;
       },
       .operation = edit,
       .render =
           [](const Arguments& arguments, const EditFileResponse& response) {
             const auto count = std::accumulate(response.counts.begin(), response.counts.end(), std::int64_t{0});
             return fmt::format("Edited {}: replaced {} occurrence(s)", arguments.path, count);
           },
       .render_error =
           [](const Arguments&, const Error& error) {
             Error worded = error;
             if (error.code == ErrorCode::ambiguous_match) {
               worded.hint = "add lines around the text until it is unique, or set `replace_all`";
             }
             return error_result(worded, Steering::retries);
           }});
}

}  // namespace berth::tools::console
