#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"

/// Lines as tools show them: they end with LF only, and what follows the last LF is a line when it is not empty.
namespace berth::tools {

std::int64_t count_lines(BytesView text);

/// Take the first line off the text, with its ending.
BytesView take_line(BytesView& rest);

/// The line without its LF or CRLF.
BytesView without_ending(BytesView line);

/// The first two hexadecimal digits of the MD5 (RFC 1321) of a line without its ending, as UTF-8: what a hashline shows
/// and compares.
std::string line_hash(BytesView line);

}  // namespace berth::tools
