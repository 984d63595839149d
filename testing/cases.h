#pragma once

#include <string>
#include <string_view>

namespace berth::testing {

/// The text of a table of right values, `testing/cases/NAME`.
std::string read_cases(std::string_view name);

}  // namespace berth::testing
