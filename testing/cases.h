#pragma once

#include <string>
#include <string_view>

namespace berth::testing {

/// The text of a table of right values, `testing/cases/NAME`.
std::string read_cases(std::string_view name);

/// The absolute name of something in the source tree. Only this library knows the tree's place, so that every other
/// object file is the same wherever the tree lies, and a compiler cache is shared by all checkouts.
std::string source_path(std::string_view relative);

}  // namespace berth::testing
