#pragma once

#include <string>
#include <string_view>

namespace berth::testing {

/// What a file of the source tree holds, named from its top; empty when it is missing.
std::string read_source(std::string_view file);

/// Expect a text to be what a file of the source tree holds, named from its top: `src/tools/golden/plain/ls.txt`. With
/// BERTH_UPDATE_GOLDEN set in the environment the file is written instead, and the change shows in the diff of a
/// commit.
void expect_golden(std::string_view file, std::string_view text);

}  // namespace berth::testing
