#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/call.h"
#include "base/result.h"

namespace berth {

/// One replacement of literal bytes (C-EDIT-1).
struct Edit {
  enum class Count : std::uint8_t { exactly, all };

  Bytes old_text;
  Bytes new_text;
  Count count = Count::exactly;
  std::int64_t expected_count = 1;  ///< for exactly; > 0

  bool operator==(const Edit&) const = default;
};

/// What edits made of a content.
struct EditedContent {
  Bytes content;
  std::vector<std::int64_t> counts;  ///< replacements made by each edit, in order

  bool operator==(const EditedContent&) const = default;
};

/// Apply edits to a content, all or nothing. Every edit is matched against the original; matches of different edits
/// must not overlap. An anchor with LF matches CRLF text, and the new text takes the ending of the lines it replaces
/// (C-EDIT-2); every byte outside the matches stays.
/// Errors: `empty_anchor`; `match_not_found` with `edit` (index) and, in `places`, up to five `line: snippet` of text
/// that differs only in white space, and `already_present` when the new text is there; `ambiguous_match` with `edit`,
/// `count`, `expected_count` and up to five `places`; `invalid_argument` when matches overlap or nothing would change.
/// Time is linear in content and anchors for every input; memory is the result, and a few words for each match. The
/// call is looked at between steps of bounded length: `timed_out`, `cancelled`.
Result<EditedContent> apply_edits(BytesView original, std::span<const Edit> edits, const Call& call = {});

}  // namespace berth
