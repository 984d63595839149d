#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/fields.h"
#include "tools/tool_session.h"

namespace berth::tools {

struct ReadFileRequest {
  enum class Format {
    numbered,  ///< a number before each line
    hashline,  ///< a number and a hash, for hashline_edit
    raw        ///< as it stands
  };

  Bytes path;
  std::int64_t offset = 1;                  ///< the first line, from 1
  std::int64_t limit = limits::kPageLines;  ///< lines
  Format format = Format::numbered;

  static const Fields<ReadFileRequest>& fields();
};

std::span<const EnumName<ReadFileRequest::Format>> enum_names(ReadFileRequest::Format);

struct ReadFileResponse {
  enum class Kind { text, binary, image, document };

  Bytes path;
  Kind kind = Kind::text;
  std::optional<std::string> media_type;  ///< of what is no text, as far as its first bytes tell
  std::optional<Bytes> content;           ///< of text: whole lines with their endings; of a document: its text
  std::int64_t first_line = 1;
  std::int64_t line_count = 0;
  std::optional<std::int64_t> total_lines;  ///< of text, when the end was seen
  std::int64_t total_bytes = 0;
  bool truncated = false;                   ///< lines follow
  bool line_cut = false;                    ///< the last line is longer than a page and was cut
  std::optional<std::int64_t> next_offset;  ///< when truncated
  std::optional<Revision> revision;         ///< where the whole file was looked at
  std::optional<GitMode> git_mode;
  ChangeToken token;

  std::vector<Media> media;  ///< an image itself
  Bytes first_bytes;         ///< of a binary file, for the text
  std::string why_no_text;   ///< of a document, for the text
  ReadFileRequest::Format format = ReadFileRequest::Format::numbered;

  static const Fields<ReadFileResponse>& fields();
  bool operator==(const ReadFileResponse&) const = default;
};

std::span<const EnumName<ReadFileResponse::Kind>> enum_names(ReadFileResponse::Kind);

/// Read a page of lines, bounded by `ToolOptions::max_page_bytes`. A file up to `limits::kWholeReadBytes` is read in
/// one piece, so that its revision is known; of a longer one, memory is the page. What a file is, its first bytes say,
/// not its name: an image comes back in `media`, anything else with a NUL byte in its first 8 KiB is `binary`. The
/// conversation has then read the file. Errors: `offset_out_of_range` with `total_lines` for a line past the end,
/// `too_large` for an image over the session's bound, and those of `FileReads::read`.
Result<ReadFileResponse> read_file(const Call& call, ToolSession& session, const ReadFileRequest& request);

std::string render(const ReadFileResponse& response);

std::unique_ptr<Tool> read_file_tool();

}  // namespace berth::tools
