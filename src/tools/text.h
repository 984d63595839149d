#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/error.h"

/// How texts for models are written.
namespace berth::tools {

/// A name as one word of one line: control characters, quotes and bytes that are not UTF-8 make it `"quoted\n"`, so
/// that no file name can look like a second line.
std::string shown_name(BytesView name);

/// Say why something was refused: what, the facts that help (places, numbers), and the next step.
std::string error_text(const Error& error);

/// A unified diff as the end of a text; says so when hunks were left out.
std::string diff_text(BytesView diff, bool was_cut);

/// "1 line", "2 lines".
std::string counted(std::int64_t count, std::string_view one, std::string_view many = {});

/// At most `max_bytes` of one line, with `…` and the full length where it was cut.
std::string line_excerpt(BytesView line, std::size_t max_bytes);

}  // namespace berth::tools
