#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "path/wildcard.h"

namespace berth {

/// The pattern of a permission rule (C-POL-3): anchored; `*`, `?` and classes stop at a slash, `**` does not, `**/` is
/// zero or more directories. Letters are compared exactly. Commands are matched as whole strings by the same rules.
/// A pattern that cannot be compiled (a reversed range) matches nothing.
/// Immutable; safe from many threads; time is text times pattern for every input.
class RulePattern {
 public:
  explicit RulePattern(std::string_view pattern)
      : compiled_(Wildcard::try_compile(pattern, {})), needed_(compiled_ ? compiled_->longest_literal() : "") {}

  bool matches(std::string_view text) const {
    return compiled_ && text.find(needed_) != std::string_view::npos && compiled_->matches(text);
  }

  /// Whether the pattern can be compiled, so that who writes rules can be told.
  bool is_valid() const noexcept { return compiled_.has_value(); }

 private:
  std::optional<Wildcard> compiled_;
  std::string needed_;  ///< most texts that do not match lack it
};

}  // namespace berth
