#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"

/// Layouts of lines that several profiles share. Every text is valid UTF-8, whatever the content is.
namespace berth::tools {

/// What becomes of a CR before an LF.
enum class CarriageReturns { kept, dropped };

/// `     1<TAB>text`: the number right-aligned in six columns. No LF at the end.
std::string number_lines(BytesView content, std::int64_t first_line, CarriageReturns returns);

/// `1:d4|text`, with `line_hash`. No LF at the end, no CR.
std::string hash_lines(BytesView content, std::int64_t first_line);

/// The text's first characters, as Unicode counts them.
std::string_view first_characters(std::string_view utf8, std::size_t count) noexcept;

/// How many characters a text has, as Unicode counts them.
std::size_t count_characters(std::string_view utf8) noexcept;

}  // namespace berth::tools
