#include "surface/cli/text_layout.h"

#include <algorithm>

namespace berth::cli {
namespace {

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

std::vector<TextBlock> text_blocks(std::string_view text) {
  std::vector<TextBlock> blocks;
  bool goes_on = false;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) {
      goes_on = false;
      continue;
    }
    const auto kind = line.starts_with("  ") ? TextBlock::Kind::example : TextBlock::Kind::prose;
    if (kind == TextBlock::Kind::example) line.remove_prefix(2);
    if (!goes_on || blocks.back().kind != kind) blocks.push_back({.kind = kind, .lines = {}});
    blocks.back().lines.emplace_back(line);
    goes_on = true;
  }
  return blocks;
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::size_t used = 0;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    const auto word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    const auto length = columns(word);
    if (lines.empty() || used + 1 + length > width) {
      lines.emplace_back(word);
      used = length;
    } else {
      lines.back().append(" ").append(word);
      used += 1 + length;
    }
  }
  return lines;
}

}  // namespace berth::cli
