#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tools/fields.h"
#include "tools/tool_session.h"

namespace berth::tools {

struct HashlineEditRequest {
  enum class Place { replace, before, after };

  Bytes path;
  Place place = Place::replace;
  std::int64_t start_line = 1;
  std::optional<std::string> start_hash;  ///< as `read_file` shows it; only an empty file needs none
  std::optional<std::int64_t> end_line;   ///< of a range to replace; absent: the one line
  std::optional<std::string> end_hash;
  Bytes content;  ///< lines; empty deletes
  std::optional<Revision> expected_revision;

  static const Fields<HashlineEditRequest>& fields();
};

std::span<const EnumName<HashlineEditRequest::Place>> enum_names(HashlineEditRequest::Place);

struct HashlineEditResponse {
  Bytes path;
  std::int64_t line = 0;  ///< where the new lines begin, or the deleted ones began
  std::int64_t removed_lines = 0;
  std::int64_t added_lines = 0;
  Revision previous_revision;
  Revision revision;
  Bytes diff;
  bool diff_truncated = false;

  static const Fields<HashlineEditResponse>& fields();
  bool operator==(const HashlineEditResponse&) const = default;
};

/// Change whole lines by their numbers. The hashes prove that they are the lines that were read: another hash is
/// `revision_mismatch` with `line`, `expected_hash` and `actual_hash`, a line past the end `offset_out_of_range` with
/// `total_lines`. Every byte of the other lines stays, whatever the encoding; new lines end as the line they stand at
/// does, and a file whose last line has no ending keeps it so. Staleness as for `edit_file`.
Result<HashlineEditResponse> hashline_edit(const Call& call, ToolSession& session, const HashlineEditRequest& request);

std::string render(const HashlineEditResponse& response);

std::unique_ptr<Tool> hashline_edit_tool();

}  // namespace berth::tools
