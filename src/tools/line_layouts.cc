#include "tools/line_layouts.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "tools/lines.h"

namespace berth::tools {
namespace {

bool starts_character(char byte) noexcept { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

template <typename Append>
std::string joined(BytesView content, Append append) {
  std::string text;
  while (!content.empty()) {
    if (!text.empty()) text += '\n';
    append(text, take_line(content));
  }
  return text;
}

BytesView without_newline(BytesView line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  return line;
}

}  // namespace

std::string number_lines(BytesView content, std::int64_t first_line, CarriageReturns returns) {
  return joined(content, [number = first_line, returns](std::string& text, BytesView line) mutable {
    line = returns == CarriageReturns::dropped ? without_ending(line) : without_newline(line);
    fmt::format_to(std::back_inserter(text), "{:>6}\t{}", number++, decode_utf8(line).text);
  });
}

std::string hash_lines(BytesView content, std::int64_t first_line) {
  return joined(content, [number = first_line](std::string& text, BytesView line) mutable {
    line = without_ending(line);
    fmt::format_to(std::back_inserter(text), "{}:{}|{}", number++, line_hash(line), decode_utf8(line).text);
  });
}

std::string_view first_characters(std::string_view utf8, std::size_t count) noexcept {
  for (std::size_t at = 0; at < utf8.size(); ++at) {
    if (!starts_character(utf8[at])) continue;
    if (count == 0) return utf8.substr(0, at);
    --count;
  }
  return utf8;
}

std::size_t count_characters(std::string_view utf8) noexcept {
  return static_cast<std::size_t>(std::count_if(utf8.begin(), utf8.end(), starts_character));
}

}  // namespace berth::tools
