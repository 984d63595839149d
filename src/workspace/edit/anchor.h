#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/call.h"
#include "workspace/edit/edit.h"

namespace berth {

/// A range of bytes in the original content.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;

  bool operator==(const Span&) const = default;
};

/// A content in which anchors are looked for. Every search is linear in content and anchor.
///
/// An anchor that holds a CR is matched byte for byte. In any other anchor an LF stands for LF or CRLF, and a match
/// that begins or ends with one takes the CR along.
class AnchorText {
 public:
  /// The content must outlive the object.
  explicit AnchorText(BytesView original);

  /// Find the matches from left to right, none overlapping the one before. Errors: those of the call.
  Result<std::vector<Span>> find(const Call& call, BytesView anchor) const;
  bool contains(BytesView anchor) const;

  /// Append the new text of a match. Unless the edit is byte for byte, each LF that has no CR takes the ending that
  /// the same line of the match has; further ones that of the match's last line; where that has none, of the line
  /// before it.
  /// Fast when the matches come in ascending order.
  void append_with_endings(const Edit& edit, const Span& span, Bytes& out);

  /// Render the first five places as `line: snippet`, for people: valid UTF-8, bounded.
  std::vector<std::string> places(const std::vector<Span>& spans) const;

  /// Find where the anchor would match if white space did not count, at most five places; none for an anchor of white
  /// space only.
  std::vector<std::string> places_but_for_white_space(BytesView anchor) const;

 private:
  bool takes_crlf(BytesView anchor) const noexcept;
  Result<std::vector<Span>> find(const Call& call, BytesView anchor, std::size_t max_spans) const;
  std::size_t next_newline(std::size_t from);
  bool ends_with_crlf_around(const Span& span);

  BytesView original_;
  Bytes without_cr_;                  ///< every CRLF made LF; empty when there is none
  std::vector<std::size_t> crlf_at_;  ///< where in `without_cr_` each LF stands that had a CR
  std::size_t last_newline_;
  std::size_t searched_from_ = 0;  ///< the last answer of next_newline, and from where it holds
  std::size_t newline_at_;
};

}  // namespace berth
