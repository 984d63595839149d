#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "path/pattern_segment.h"

namespace berth {

/// A pattern without braces: segments, with `**` between them.
class SegmentedPattern {
 public:
  static Result<SegmentedPattern> parse(std::string_view text, PatternGrammar grammar, LeadingDots dots);

  /// Whether the whole path matches. Adds the work done to `steps`: at most (path + 1) × (pattern + 1).
  bool matches(std::string_view path, std::size_t& steps) const;

  /// See `PathPattern::may_match_below`.
  bool may_match_below(std::string_view directory) const;

  bool names_hidden() const noexcept;
  bool is_everything() const noexcept;
  std::string literal_prefix() const;

 private:
  /// One element; nothing stands for `**`: any number of directories.
  using Element = std::optional<PatternSegment>;

  bool crosses(std::string_view name) const noexcept { return dots_ != LeadingDots::named || !name.starts_with('.'); }

  std::vector<Element> elements_;  ///< never ends with `**`, never two `**` in a row
  LeadingDots dots_ = LeadingDots::matched;
};

}  // namespace berth
