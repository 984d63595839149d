#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace berth {

inline constexpr std::size_t kMaxBraceAlternatives = 1024;

/// Expand `{a,b}` as shells do, nested groups too, in the order written. Braces that are unbalanced, hold no comma or
/// stand inside a `[...]` class are ordinary. More than `kMaxBraceAlternatives` results: `invalid_argument`.
Result<std::vector<std::string>> expand_braces(std::string_view pattern);

/// Where the `[...]` class that opens at `open` ends (its `]`), or npos when no class opens there: it must close
/// before a slash, and a `]` right after the opening (and the negation) is a member. `negations` are the characters
/// that negate.
std::size_t class_end(std::string_view pattern, std::size_t open, std::string_view negations) noexcept;

}  // namespace berth
