#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// What can be told from the text of a regular expression that RE2 has accepted.
namespace berth::search {

/// Where the class that opens at `open` ends: one past its `]`.
std::size_t skip_class(std::string_view regex, std::size_t open) noexcept;

/// Where the escape whose backslash stands at `at` ends; `\Q` ends after its `\E`.
std::size_t skip_escape(std::string_view regex, std::size_t at) noexcept;

/// The same expression with every `$` matching before a CR LF too.
std::string accept_cr_before_end(std::string_view regex);

/// Whether the expression can tell the buffer from the line it looks at: `\A`, `\z`, `\C` or flags switched off.
bool needs_single_lines(std::string_view regex) noexcept;

/// Bytes that every match contains, in a row; empty when none are known. `folded`: ASCII letters in either case (the
/// result is then ASCII, in lower case, and free of letters that fold with other characters).
struct RequiredLiteral {
  std::string bytes;
  bool folded = false;

  bool operator==(const RequiredLiteral&) const = default;
};

enum class CaseRule { sensitive, insensitive };

/// Find the longest required literal. Conservative: what is not understood ends a run, never a match.
RequiredLiteral required_literal(std::string_view regex, CaseRule letters);

}  // namespace berth::search
