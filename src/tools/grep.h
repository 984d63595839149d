#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/fields.h"
#include "tools/tool_session.h"

namespace berth::tools {

struct GrepRequest {
  enum class Mode { content, files, count };

  Bytes pattern;
  Bytes path = ".";
  Bytes glob;
  Mode mode = Mode::content;
  bool literal = false;
  bool ignore_case = false;
  bool word = false;
  bool multiline = false;
  bool hidden = false;
  bool ignored = false;
  std::int64_t context = 0;
  std::int64_t limit = 100;
  std::int64_t offset = 0;

  static const Fields<GrepRequest>& fields();
};

std::span<const EnumName<GrepRequest::Mode>> enum_names(GrepRequest::Mode);

/// A matching line, or in the other modes a matching file.
struct GrepMatch {
  Path path;
  std::optional<std::int64_t> line;
  std::optional<std::int64_t> column;
  std::optional<Bytes> text;
  std::optional<std::vector<std::string>> before;
  std::optional<std::vector<std::string>> after;
  std::optional<std::int64_t> matches;

  static const Fields<GrepMatch>& fields();
  bool operator==(const GrepMatch&) const = default;
};

struct GrepResponse {
  GrepRequest::Mode mode = GrepRequest::Mode::content;
  std::vector<GrepMatch> matches;  ///< by path, then line
  std::int64_t files_searched = 0;
  std::int64_t files_binary = 0;  ///< not searched
  std::int64_t bytes_searched = 0;
  std::optional<SearchBound> stopped_by;
  std::optional<std::int64_t> next_offset;
  std::vector<Unreadable> unreadable;

  static const Fields<GrepResponse>& fields();
  bool operator==(const GrepResponse&) const = default;
};

/// Search files by content (C-SEARCH), for at most `limits::kSearchTime`; the lines of one answer are bounded by
/// `ToolOptions::max_page_bytes` and `max_list_entries`. A bound that is hit keeps what was found. Errors: those of
/// `TreeSearch::search`.
Result<GrepResponse> grep(const Call& call, ToolSession& session, const GrepRequest& request);

std::string render(const GrepResponse& response);

std::unique_ptr<Tool> grep_tool();

}  // namespace berth::tools
