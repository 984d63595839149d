#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "contract/search.h"

namespace berth::search {

/// One place where a pattern matched in a buffer.
struct LineHit {
  std::int64_t line = 0;    ///< from 1
  std::int64_t column = 0;  ///< byte column of the first match in the line, from 1
  std::size_t begin = 0;    ///< the matched line (or lines, multiline) in the buffer, without the last line ending
  std::size_t end = 0;
};

/// A compiled content pattern. Immutable; any number of threads may scan with one at once. Time is linear in the
/// buffer. A literal, or the literal part of a regex, is looked for first, so buffers without it cost one memmem.
///
/// A regex is RE2 syntax over UTF-8, matched against each line by itself, or, multiline, against the whole buffer with
/// `^` and `$` at every line. In content that is not UTF-8 each byte that belongs to no character reads as one U+FFFD,
/// as it does where text is decoded: `caf.` finds Latin-1 text, and columns still count the bytes. A literal is bytes.
/// Ignoring case folds as Unicode does, character by character. `word`: letters, marks, digits and underscores of any
/// script bound a word; the pattern must be UTF-8. A pattern with LF in it matches nothing unless multiline.
class Matcher {
 public:
  /// Compile `pattern` with the flags literal, ignore_case, word and multiline. Errors: `invalid_argument` with
  /// RE2's reason. An empty pattern matches every line.
  static Result<Matcher> compile(const SearchQuery& query);

  ~Matcher();
  Matcher(Matcher&&) noexcept;
  Matcher& operator=(Matcher&&) noexcept;

  /// Whether anything in the buffer matches.
  bool matches(BytesView buffer) const;

  /// Find matching lines in order, at most `max_hits`, appended to `hits`. A line counts once however often it
  /// matches. LF ends a line; a CR before it belongs to the line, and `$` matches before it as well as after it.
  void find_lines(BytesView buffer, std::int64_t max_hits, std::vector<LineHit>& hits) const;

  /// Count matching lines.
  std::int64_t count_lines(BytesView buffer) const;

 private:
  struct Program;
  explicit Matcher(std::unique_ptr<const Program> program);

  std::unique_ptr<const Program> program_;
};

/// Whether content counts as binary: a NUL byte in its first 8 KiB, or anywhere when it is shorter.
bool is_binary(BytesView content) noexcept;

/// Cut out a hit's text and the lines of context around it.
SearchMatch make_match(const Path& path, BytesView buffer, const LineHit& hit, std::int64_t context);

}  // namespace berth::search
