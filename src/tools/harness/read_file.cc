#include "tools/read_file.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "tools/harness/harness_internal.h"
#include "tools/line_layouts.h"
#include "tools/lines.h"
#include "tools/make_tool.h"
#include "tools/text.h"

namespace berth::tools::harness {
namespace {

using Kind = ReadFileResponse::Kind;

constexpr std::int64_t kRoomForTrailer = 200;
constexpr std::size_t kHexRow = 16;

struct Arguments {
  std::string path;
  std::int64_t offset = 0;
  std::optional<std::int64_t> limit;

  static const Fields<Arguments>& fields() {
    static const auto table = Fields<Arguments>()
                                  .field("path", &Arguments::path, "The file", kRequired)
                                  .field("offset", &Arguments::offset, "Lines to pass over", {.minimum = 0})
                                  .field("limit", &Arguments::limit, "At most this many lines", {.minimum = 1});
    return table;
  }
};

/// A page with the header that stands over it.
struct Page {
  ReadFileResponse plain;
  std::string header;
  std::vector<Media> media;

  static const Fields<Page>& fields() {
    static const auto table = Fields<Page>().inlined(&Page::plain);
    return table;
  }
};

std::string header_of(const HarnessOptions& options, const ReadFileResponse& response, const std::string& path) {
  std::string facts;
  if (response.kind != Kind::text) {
    facts =
        fmt::format(" | {} | {} bytes", response.media_type.value_or("application/octet-stream"), response.total_bytes);
  } else if (response.total_lines) {
    facts = fmt::format(" | {} lines", *response.total_lines);
  } else {
    facts = fmt::format(" | {} bytes", response.total_bytes);
  }
  return fmt::format("[{}{}{}]\n", shown_name(path), facts, hash_part(options, response.revision, " | ", ""));
}

// Keep the lines whose text fits into the window, at least one.
void keep_window(const HarnessOptions& options, std::size_t header_chars, ReadFileResponse& page) {
  const auto window =
      std::max<std::int64_t>(0, options.max_read_chars - kRoomForTrailer - static_cast<std::int64_t>(header_chars));
  BytesView rest = *page.content;
  std::int64_t used = 0;
  std::int64_t kept = 0;
  while (!rest.empty()) {
    BytesView after = rest;
    const auto line = number_lines(take_line(after), page.first_line + kept, CarriageReturns::kept);
    used += static_cast<std::int64_t>(count_characters(line)) + 1;
    if (kept > 0 && used > window) break;
    ++kept;
    rest = after;
  }
  if (rest.empty()) return;
  page.content->resize(page.content->size() - rest.size());
  page.line_count = kept;
  page.line_cut = false;
  page.truncated = true;
  page.next_offset = page.first_line + kept;
}

Result<Page> read(const HarnessOptions& options, const Call& call, ToolSession& session,
                  const ReadFileRequest& request) {
  BERTH_TRY(const auto path, shown_path(session, request.path));
  BERTH_TRY(auto response, read_file(call, session, request));
  Page page{.plain = std::move(response), .header = {}, .media = {}};
  page.media = std::exchange(page.plain.media, {});
  page.header = header_of(options, page.plain, path);
  if (page.plain.content) keep_window(options, count_characters(page.header), page.plain);
  return page;
}

std::string hex_rows(BytesView bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += kHexRow) {
    text += fmt::format("{:08x} ", at);
    for (const char byte : bytes.substr(at, kHexRow)) text += fmt::format(" {:02x}", static_cast<unsigned char>(byte));
    text += '\n';
  }
  return text;
}

std::string binary_text(const ReadFileResponse& response) {
  const auto more = response.total_bytes - static_cast<std::int64_t>(response.first_bytes.size());
  return "Binary file; it begins with these bytes:\n" + hex_rows(response.first_bytes) +
         (more > 0 ? fmt::format("... ({} more bytes)\n", more) : "");
}

std::string lines_text(const ReadFileResponse& response) {
  if (response.content->empty()) return "(empty file)\n";
  std::string text = number_lines(*response.content, response.first_line, CarriageReturns::kept) + "\n";
  if (response.line_cut) text += "... (the line is longer than a page and was cut)\n";
  if (response.next_offset) {
    const auto offset = *response.next_offset - 1;
    text += response.total_lines ? fmt::format("... ({} more lines. Use offset={} to continue reading.)\n",
                                               *response.total_lines - offset, offset)
                                 : fmt::format("... (More lines. Use offset={} to continue reading.)\n", offset);
  }
  return text;
}

std::string render(const Arguments&, const Page& page) {
  if (page.plain.content) return page.header + lines_text(page.plain);
  if (page.plain.kind == Kind::image) return page.header;
  if (!page.plain.why_no_text.empty()) return fmt::format("{}[{}]\n", page.header, page.plain.why_no_text);
  return page.header + binary_text(page.plain);
}

ToolResult render_error(const Arguments& arguments, const Error& error) {
  if (error.code == ErrorCode::not_found || error.code == ErrorCode::is_a_directory) return never_retried(error);
  const auto* total = error.field("total_lines");
  if (error.code != ErrorCode::offset_out_of_range || total == nullptr) return error_result(error);
  // The operation counts lines from 1; this profile's callers pass over lines.
  Error worded = make_error(error.code, fmt::format("offset {} is past the end: the file has {}", arguments.offset,
                                                    counted(std::get<std::int64_t>(*total), "line")));
  worded.path = error.path;
  return error_result(worded);
}

}  // namespace

std::unique_ptr<Tool> make_read_file(const HarnessOptions& options) {
  return make_tool<Arguments, ReadFileRequest, Page>(
      {.info = {.name = "read_file",
                .title = "Read a file",
                .description =
                    "Read lines of a text file. The first line of the answer is `[path | N lines | hash:H]`; "
                    "give the hash as `expected_hash` when you change the file. When lines follow, the last "
                    "line says with which `offset` to go on. Images come back as images, of other binary "
                    "files the first bytes.",
                .input_schema = {},
                .output_schema = {},
                .annotations = {.read_only = true, .idempotent = true},
                .needs = {.reads = true},
                .uses = {Operation::read}},
       .to_request = [options](const Arguments& arguments) -> Result<ReadFileRequest> {
         ReadFileRequest request;
         request.path = arguments.path;
         request.offset = std::min(arguments.offset, std::numeric_limits<std::int64_t>::max() - 1) + 1;
         request.limit = std::min(arguments.limit.value_or(options.max_read_lines), options.max_read_lines);
         return request;
       },
       .operation = [options](const Call& call, ToolSession& session, const ReadFileRequest& request,
                              ProgressSink*) { return read(options, call, session, request); },
       .render = render,
       .render_error = render_error});
}

}  // namespace berth::tools::harness
