#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "search/wildmatch.h"

namespace berth::search {

/// One line of an ignore file, read as git reads it (gitignore(5), dir.c).
class IgnoreRule {
 public:
  /// Read a line without its ending. Nothing for blank lines and comments.
  static std::optional<IgnoreRule> parse(std::string_view line);

  /// Whether the rule speaks about a path. `name` is its last component, `below` the path below the rule's directory.
  bool matches(std::string_view name, std::string_view below) const;

  bool is_negated() const noexcept { return negated_; }
  bool wants_directory() const noexcept { return directory_only_; }

 private:
  enum class Subject { name, path };

  Subject subject_ = Subject::name;
  bool negated_ = false;
  bool directory_only_ = false;
  std::string literal_;  ///< what comes before the first wildcard
  std::string suffix_;   ///< of a name rule that is `*` and ordinary bytes
  bool is_suffix_ = false;
  std::optional<Wildmatch> wildcards_;  ///< from the first wildcard on (the whole pattern for a name rule)
};

/// Read an ignore file: LF or CRLF lines, a UTF-8 mark skipped. In file order.
std::vector<IgnoreRule> parse_ignore_rules(BytesView text);

}  // namespace berth::search
