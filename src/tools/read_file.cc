#include "tools/read_file.h"

#include <algorithm>

#include <fmt/format.h>

#include "tools/document_text.h"
#include "tools/lines.h"
#include "tools/make_tool.h"
#include "tools/media_type.h"
#include "tools/staleness.h"
#include "tools/text.h"
#include "tools/value_fields.h"

namespace berth::tools {
namespace {

using Format = ReadFileRequest::Format;
using Kind = ReadFileResponse::Kind;

constexpr std::size_t kShownBytes = 64;

// What a number and a tab before each line add to the text.
std::int64_t decoration(Format format) { return format == Format::raw ? 0 : 8; }

Error past_the_end(const ReadFileRequest& request, std::int64_t total_lines) {
  return make_error(ErrorCode::offset_out_of_range, fmt::format("line {} is past the end: the file has {}",
                                                                request.offset, counted(total_lines, "line")))
      .at(request.path)
      .with("offset", request.offset)
      .with("total_lines", total_lines);
}

// Keep the lines of `text` that fit: it begins at line `first`, and whether anything follows it is known already.
void take_page(const ReadFileRequest& request, std::int64_t max_bytes, BytesView text, ReadFileResponse& page) {
  BytesView rest = text;
  std::int64_t used = 0;
  while (!rest.empty() && page.line_count < request.limit) {
    BytesView after = rest;
    const auto line = take_line(after);
    const auto cost = static_cast<std::int64_t>(line.size()) + decoration(request.format);
    if (used + cost > max_bytes) {
      if (page.line_count > 0) break;
      page.line_cut = true;
      page.content = Bytes(utf8_prefix(line, static_cast<std::size_t>(max_bytes)));
      page.line_count = 1;
      rest = after;
      break;
    }
    used += cost;
    ++page.line_count;
    rest = after;
  }
  if (!page.line_cut) page.content = Bytes(text.substr(0, text.size() - rest.size()));
  if (!rest.empty()) {
    page.truncated = true;
    page.next_offset = page.first_line + page.line_count;
  }
}

Result<void> take_lines_of(const ReadFileRequest& request, std::int64_t max_bytes, BytesView whole,
                           ReadFileResponse& page) {
  const auto total = count_lines(whole);
  page.total_lines = total;
  if (request.offset > std::max<std::int64_t>(total, 1)) return past_the_end(request, total);
  for (std::int64_t line = 1; line < request.offset; ++line) take_line(whole);
  take_page(request, max_bytes, whole, page);
  return {};
}

Result<void> take_lines_from(const Call& call, ToolSession& session, const ReadFileRequest& request,
                             ReadFileResponse& page) {
  const auto max_bytes = session.options().max_page_bytes;
  const auto lines = session.workspace().read_lines(
      call, request.path, {.first = request.offset, .count = request.limit, .max_bytes = max_bytes});
  if (!lines) {
    const auto* total = lines.error().field("total_lines");
    if (lines.error().code != ErrorCode::offset_out_of_range || total == nullptr) return lines.error();
    return past_the_end(request, std::get<std::int64_t>(*total));
  }
  page.total_lines = lines->total_lines;
  page.total_bytes = lines->total_bytes;
  page.token = lines->token;
  take_page(request, max_bytes, lines->content, page);
  page.line_cut = page.line_cut || lines->line_cut;
  if (lines->truncated && !page.truncated) {
    page.truncated = true;
    page.next_offset = lines->next_line;
  }
  return {};
}

// The whole content of what is no text, at most `most` bytes of it.
Result<Bytes> take_whole(const Call& call, ToolSession& session, const ReadPage& beginning, std::int64_t most,
                         std::string_view limit, ReadFileResponse& response) {
  if (beginning.total_bytes > most) {
    return make_error(ErrorCode::too_large, "the file is larger than a result may carry")
        .at(response.path)
        .with("limit", std::string(limit))
        .with("total_bytes", beginning.total_bytes)
        .with("max_bytes", most);
  }
  if (!beginning.truncated) return beginning.content;
  BERTH_TRY(auto whole, session.workspace().read(call, response.path, {.max_bytes = most}));
  if (whole.truncated) {
    return make_error(ErrorCode::changed_during_read, "the file grew while it was read").at(response.path);
  }
  response.total_bytes = whole.total_bytes;
  response.revision = whole.revision;
  response.git_mode = whole.git_mode;
  response.token = whole.token;
  return std::move(whole.content);
}

Result<void> take_image(const Call& call, ToolSession& session, const ReadPage& beginning, ReadFileResponse& response) {
  BERTH_TRY(auto content,
            take_whole(call, session, beginning, session.options().max_image_bytes, "max_image_bytes", response));
  response.media.push_back({Media::Kind::image, *response.media_type, std::move(content)});
  return {};
}

Result<void> take_document(const Call& call, ToolSession& session, const ReadFileRequest& request,
                           const ReadPage& beginning, ReadFileResponse& response) {
  BERTH_TRY(const auto content,
            take_whole(call, session, beginning, session.options().max_document_bytes, "max_document_bytes", response));
  BERTH_TRY(auto document, document_text(call, session, content));
  response.why_no_text = std::move(document.why_not);
  if (!document.text) return {};
  response.first_line = request.offset;
  return take_lines_of(request, session.options().max_page_bytes, *document.text, response);
}

std::string hex_of(BytesView bytes) {
  std::string text;
  for (const char byte : bytes) {
    if (!text.empty()) text += ' ';
    text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
  return text;
}

std::string line_prefix(Format format, std::int64_t number, BytesView line) {
  switch (format) {
    case Format::numbered: return fmt::format("{:>6}\t", number);
    case Format::hashline: return fmt::format("{}:{}|", number, line_hash(line));
    case Format::raw: return "";
  }
  return "";
}

std::string trailer_of(const ReadFileResponse& response, bool was_lossy, bool has_crlf) {
  std::string text;
  if (response.line_cut) {
    text +=
        fmt::format("... (line {} is cut: it is longer than a page)\n", response.first_line + response.line_count - 1);
  }
  if (response.next_offset) {
    text += response.total_lines
                ? fmt::format("... ({} more; go on with offset={})\n",
                              counted(*response.total_lines - *response.next_offset + 1, "line"), *response.next_offset)
                : fmt::format("... (more lines follow; go on with offset={})\n", *response.next_offset);
  }
  if (has_crlf) text += "(lines end with CRLF)\n";
  if (was_lossy) text += "(not UTF-8: bytes that are no text are shown as \uFFFD)\n";
  return text;
}

std::string render_lines(const ReadFileResponse& response) {
  BytesView rest = *response.content;
  if (rest.empty()) return "(empty file)";
  std::string text;
  bool has_crlf = false;
  bool was_lossy = false;
  for (auto number = response.first_line; !rest.empty(); ++number) {
    const auto line = take_line(rest);
    has_crlf = has_crlf || line.ends_with("\r\n");
    const auto shown = decode_utf8(without_ending(line));
    was_lossy = was_lossy || shown.was_lossy;
    text += line_prefix(response.format, number, line) + shown.text + "\n";
  }
  text += trailer_of(response, was_lossy, has_crlf);
  text.pop_back();
  return text;
}

}  // namespace

std::span<const EnumName<Format>> enum_names(Format) {
  static constexpr EnumName<Format> kNames[] = {
      {Format::numbered, "numbered"}, {Format::hashline, "hashline"}, {Format::raw, "raw"}};
  return kNames;
}

std::span<const EnumName<Kind>> enum_names(Kind) {
  static constexpr EnumName<Kind> kNames[] = {
      {Kind::text, "text"}, {Kind::binary, "binary"}, {Kind::image, "image"}, {Kind::document, "document"}};
  return kNames;
}

const Fields<ReadFileRequest>& ReadFileRequest::fields() {
  static const auto table =
      Fields<ReadFileRequest>()
          .bytes("path", &ReadFileRequest::path, "The file", kRequired)
          .field("offset", &ReadFileRequest::offset, "The first line, counted from 1", {.minimum = 1})
          .field("limit", &ReadFileRequest::limit, "At most this many lines", {.minimum = 1})
          .field("format", &ReadFileRequest::format,
                 "numbered: `     1<TAB>text`; hashline: `1:a3|text`, for hashline_edit; raw: text alone");
  return table;
}

const Fields<ReadFileResponse>& ReadFileResponse::fields() {
  static const auto table =
      Fields<ReadFileResponse>()
          .bytes("path", &ReadFileResponse::path, "")
          .field("kind", &ReadFileResponse::kind, "")
          .field("media_type", &ReadFileResponse::media_type, "Of what is no text")
          .bytes("content", &ReadFileResponse::content, "Whole lines with their endings; the text of a document")
          .field("first_line", &ReadFileResponse::first_line, "")
          .field("line_count", &ReadFileResponse::line_count, "Lines in `content`")
          .field("total_lines", &ReadFileResponse::total_lines, "When the end was seen")
          .field("total_bytes", &ReadFileResponse::total_bytes, "Of the file")
          .field("truncated", &ReadFileResponse::truncated, "Lines follow")
          .field("line_cut", &ReadFileResponse::line_cut, "The last line is longer than a page and was cut")
          .field("next_offset", &ReadFileResponse::next_offset, "Where to go on")
          .field("revision", &ReadFileResponse::revision, "Of the whole file, where all of it was looked at")
          .field("git_mode", &ReadFileResponse::git_mode, "")
          .field("token", &ReadFileResponse::token, "Changes with any write, chmod or replacement");
  return table;
}

Result<ReadFileResponse> read_file(const Call& call, ToolSession& session, const ReadFileRequest& request) {
  BERTH_CHECK(session.permit(call, Operation::read, request.path));
  auto& workspace = session.workspace();
  BERTH_TRY(const auto real_path, ledger_key(call, session, request.path));
  BERTH_TRY(const auto piece, workspace.read(call, request.path, {.max_bytes = limits::kWholeReadBytes}));
  ReadFileResponse response{.path = request.path,
                            .first_line = request.offset,
                            .total_bytes = piece.total_bytes,
                            .revision = piece.revision,
                            .git_mode = piece.git_mode,
                            .token = piece.token,
                            .format = request.format};
  const auto type = media_type_of(piece.content);
  if (!type.name.empty()) response.media_type = type.name;
  if (type.kind == MediaType::Kind::text) {
    if (piece.truncated) {
      BERTH_CHECK(take_lines_from(call, session, request, response));
    } else {
      BERTH_CHECK(take_lines_of(request, session.options().max_page_bytes, piece.content, response));
    }
  } else {
    response.first_line = 1;
    response.first_bytes = piece.content.substr(0, kShownBytes);
    response.kind = Kind::binary;
    if (type.kind == MediaType::Kind::image && session.options().images) {
      response.kind = Kind::image;
      BERTH_CHECK(take_image(call, session, piece, response));
    } else if (type.kind == MediaType::Kind::document && session.options().documents) {
      response.kind = Kind::document;
      BERTH_CHECK(take_document(call, session, request, piece, response));
    }
  }
  if (response.revision)
    session.reads().saw(real_path, *response.revision);
  else
    session.reads().saw(real_path, response.token);
  return response;
}

std::string render(const ReadFileResponse& response) {
  switch (response.kind) {
    case Kind::text: return render_lines(response);
    case Kind::document:
      if (response.content) return render_lines(response);
      return fmt::format("PDF {} ({}), without its text: {}", shown_name(response.path),
                         counted(response.total_bytes, "byte"), response.why_no_text);
    case Kind::image:
      return fmt::format("Image {} ({}, {})", shown_name(response.path), *response.media_type,
                         counted(response.total_bytes, "byte"));
    case Kind::binary: break;
  }
  return fmt::format("Binary file {} ({}, {}); it begins with\n{}", shown_name(response.path),
                     response.media_type.value_or("unknown kind"), counted(response.total_bytes, "byte"),
                     hex_of(response.first_bytes));
}

std::unique_ptr<Tool> read_file_tool() {
  return make_tool<ReadFileRequest, ReadFileResponse>(
      {.name = "read_file",
       .title = "Read a file",
       .description = "Read lines of a text file; a long file comes in pages, and the last line says how to go on. An "
                      "image comes back as an image, a PDF as its text, other binary files as their size and kind.",
       .annotations = {.read_only = true, .idempotent = true},
       .needs = {.reads = true},
       .uses = {Operation::read}},
      read_file, render);
}

}  // namespace berth::tools
