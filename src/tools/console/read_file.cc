#include "tools/read_file.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "tools/console/console_internal.h"
#include "tools/line_layouts.h"
#include "tools/make_tool.h"
#include "tools/text.h"

namespace berth::tools::console {
namespace {

using Format = ReadFileRequest::Format;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

struct Arguments {
  std::string path;
  std::int64_t offset = 0;
  std::int64_t limit = 2000;

  static const Fields<Arguments>& fields() {
    static const auto table = Fields<Arguments>()
                                  .field("path", &Arguments::path, "The file", kRequired)
                                  .field("offset", &Arguments::offset, "Lines to pass over", {.minimum = 0})
                                  .field("limit", &Arguments::limit, "At most this many lines", {.minimum = 1});
    return table;
  }
};

std::string lines_text(const ReadFileResponse& response) {
  BytesView content = *response.content;
  if (response.first_line == 1 && content.starts_with(kByteOrderMark)) content.remove_prefix(kByteOrderMark.size());
  std::string text = response.format == Format::hashline
                         ? hash_lines(content, response.first_line)
                         : number_lines(content, response.first_line, CarriageReturns::dropped);
  if (response.line_cut) text += "\n\n... (the line is longer than a page and was cut)";
  if (response.next_offset) {
    text += response.total_lines
                ? fmt::format("\n\n... ({} more lines)", *response.total_lines - *response.next_offset + 1)
                : fmt::format("\n\n... (more lines from offset {})", *response.next_offset - 1);
  }
  return text;
}

std::string render(const Arguments& arguments, const ReadFileResponse& response) {
  if (response.content) return lines_text(response);
  return fmt::format("[{}: {}, {}{}{}]", shown_name(arguments.path), response.media_type.value_or("binary file"),
                     counted(response.total_bytes, "byte"), response.why_no_text.empty() ? "" : "; ",
                     response.why_no_text);
}

// The operation counts lines from 1; this profile's callers pass over lines.
Error in_terms_of(const Arguments& arguments, const Error& error) {
  const auto* total = error.field("total_lines");
  if (error.code != ErrorCode::offset_out_of_range || total == nullptr) return error;
  Error worded = make_error(error.code, fmt::format("offset {} is past the end: the file has {}", arguments.offset,
                                                    counted(std::get<std::int64_t>(*total), "line")));
  worded.path = error.path;
  return worded;
}

std::unique_ptr<Tool> make(Format format, std::string description) {
  return make_tool<Arguments, ReadFileRequest, ReadFileResponse>(
      {.info = {.name = "read_file",
                .title = "Read a file",
                .description = std::move(description),
                .input_schema = {},
                .output_schema = {},
                .annotations = {.read_only = true, .idempotent = true},
                .needs = {.reads = true},
                .uses = {Operation::read}},
       .to_request = [format](const Arguments& arguments) -> Result<ReadFileRequest> {
         const auto first = std::min(arguments.offset, std::numeric_limits<std::int64_t>::max() - 1) + 1;
         return ReadFileRequest{.path = arguments.path, .offset = first, .limit = arguments.limit, .format = format};
       },
       .operation = [](const Call& call, ToolSession& session, const ReadFileRequest& request,
                       ProgressSink*) { return read_file(call, session, request); },
       .render = render,
       .render_error =
           [](const Arguments& arguments, const Error& error) {
             return error_result(in_terms_of(arguments, error), Steering::retries);
           }});
}

}  // namespace

std::unique_ptr<Tool> make_read_file() {
  return make(Format::numbered,
              "Read lines of a text file, each after its number and a tab. When lines follow, the last line counts "
              "them: go on with a larger `offset`. Images come back as images, PDFs as their text.");
}

std::unique_ptr<Tool> make_read_file_with_hashes() {
  return make(Format::hashline,
              "Read lines of a text file as `number:hash|text`; hashline_edit asks for number and hash. When lines "
              "follow, the last line counts them: go on with a larger `offset`.");
}

}  // namespace berth::tools::console
