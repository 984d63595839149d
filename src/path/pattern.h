#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace berth {

/// Which grammar a path pattern is written in.
///
/// `list` (C-LIST-1): anchored to the whole path; `*` `?` `[...]` `[!...]` within a segment, `**` as a whole segment,
/// no braces, no escapes; `.` segments and doubled slashes vanish; `..`, absolute, blank or reversed-range patterns are
/// `invalid_argument`.
/// `glob` (C-LIST-2): as `list`, and `{a,b}` expands (nested, at most 1024 alternatives; braces without a comma are
/// ordinary), `**/` matches zero directories anywhere, `[^...]` negates too; a pattern without a slash matches at any
/// depth only when it is written `**/name`; a wildcard does not match a leading dot of a segment unless the pattern's
/// segment starts with a dot.
enum class PatternGrammar { list, glob };

/// Whether wildcards, `**` included, match names that start with a dot. A segment written with a leading dot always
/// does. `by_grammar`: yes in `list`, no in `glob`. A walk that takes hidden names compiles with `matched`, one that
/// passes them over with `named`, whatever the grammar.
enum class LeadingDots { by_grammar, matched, named };

/// A compiled path pattern. Immutable; any number of threads may match with one at once.
/// Matching is linear in the path for a fixed pattern, whatever the pattern (no backtracking).
class PathPattern {
 public:
  /// Compile. Errors: `invalid_argument`, saying what in the pattern is wrong; also for one over 16 KiB.
  static Result<PathPattern> compile(std::string_view pattern, PatternGrammar grammar,
                                     LeadingDots dots = LeadingDots::by_grammar);

  ~PathPattern();
  PathPattern(PathPattern&&) noexcept;
  PathPattern& operator=(PathPattern&&) noexcept;

  /// Whether the whole root-relative path matches. `?` and classes take one UTF-8 character, or one byte where the
  /// path is not UTF-8.
  bool matches(std::string_view path) const;

  /// Whether some path below this directory could match: a walker prunes with it. May say yes in doubt, never no.
  /// "." is the root.
  bool may_match_below(std::string_view directory) const;

  /// Whether the pattern names a dot segment itself, so that hidden entries are wanted.
  bool names_hidden() const noexcept;

  /// The leading directories that contain no wildcard ("src/lib" of "src/lib/*.cc"); "." when there is none.
  const std::string& literal_prefix() const noexcept;

 private:
  struct Program;
  explicit PathPattern(std::unique_ptr<const Program> program);

  std::unique_ptr<const Program> program_;
};

}  // namespace berth
