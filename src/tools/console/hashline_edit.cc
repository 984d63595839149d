#include "tools/hashline_edit.h"

#include <fmt/format.h>

#include "tools/console/console_internal.h"
#include "tools/make_tool.h"

namespace berth::tools::console {
namespace {

using Place = HashlineEditRequest::Place;

struct Arguments {
  std::string path;
  std::int64_t start_line = 1;
  std::string start_hash;
  std::string new_content;
  std::optional<std::int64_t> end_line;
  std::optional<std::string> end_hash;
  bool insert_after = false;

  static const Fields<Arguments>& fields() {
    static const auto table =
        Fields<Arguments>()
            .field("path", &Arguments::path, "The file", kRequired)
            .field("start_line", &Arguments::start_line, "The line, or the first of several",
                   {.need = Rule::Need::required, .minimum = 1})
            .field("start_hash", &Arguments::start_hash, "Its hash, as read_file shows it", kRequired)
            .field("new_content", &Arguments::new_content,
                   "The new lines, without numbers and hashes; empty deletes the old ones", kRequired)
            .field("end_line", &Arguments::end_line, "The last line to replace", {.minimum = 1})
            .field("end_hash", &Arguments::end_hash, "Its hash")
            .field("insert_after", &Arguments::insert_after, "Keep `start_line` and insert below it");
    return table;
  }
};

Result<HashlineEditRequest> to_request(const Arguments& arguments) {
  HashlineEditRequest request;
  request.path = arguments.path;
  request.place = arguments.insert_after ? Place::after : Place::replace;
  request.start_line = arguments.start_line;
  request.start_hash = arguments.start_hash;
  request.end_line = arguments.end_line;
  request.end_hash = arguments.end_hash;
  request.content = arguments.new_content;
  if (arguments.insert_after && (arguments.end_line || arguments.end_hash)) {
    return make_error(ErrorCode::invalid_argument, "`insert_after` takes no `end_line` and no `end_hash`")
        .with("argument", "end_line");
  }
  if (arguments.insert_after && arguments.new_content.empty()) {
    return make_error(ErrorCode::invalid_argument, "there is nothing to insert: `new_content` is empty")
        .with("argument", "new_content");
  }
  return request;
}

std::string render(const Arguments& arguments, const HashlineEditResponse& response) {
  const auto removed = response.removed_lines;
  const auto added = response.added_lines;
  std::string what;
  if (arguments.insert_after) {
    what = fmt::format("Inserted {} line(s) after line {}", added, arguments.start_line);
  } else if (added == 0) {
    what = fmt::format("Deleted {} line(s) at line {}", removed, arguments.start_line);
  } else if (added == removed) {
    what = fmt::format("Replaced {} line(s) at line {}", removed, arguments.start_line);
  } else {
    what = fmt::format("Replaced {} line(s) with {} line(s) at line {}", removed, added, arguments.start_line);
  }
  return fmt::format("Edited {}: {}", arguments.path, what);
}

ToolResult render_error(const Arguments&, const Error& error) {
  Error worded = error;
  if (error.code == ErrorCode::revision_mismatch || error.code == ErrorCode::offset_out_of_range) {
    worded.hint = "read the file again and use the numbers and hashes it has now";
  }
  return error_result(worded, Steering::retries);
}

}  // namespace

std::unique_ptr<Tool> make_hashline_edit() {
  return make_tool<Arguments, HashlineEditRequest, HashlineEditResponse>(
      {.info = {.name = "hashline_edit",
                .title = "Edit lines by number and hash",
                .description =
                    "Replace, insert or delete whole lines, named by the number and hash that read_file shows "
                    "before each. Line numbers below the change are new afterwards: read again before the "
                    "next one.",
                .input_schema = {},
                .output_schema = {},
                .annotations = {.destructive = true},
                .needs = {.reads = true, .writes = true},
                .uses = {Operation::edit}},
       .to_request = to_request,
       .operation = [](const Call& call, ToolSession& session, const HashlineEditRequest& request,
                       ProgressSink*) { return hashline_edit(call, session, request); },
       .render = render,
       .render_error = render_error});
}

}  // namespace berth::tools::console
