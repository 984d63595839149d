#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Laying out the texts of verbs for a terminal and for the manual.
namespace berth::cli {

inline constexpr std::size_t kTextWidth = 80;  ///< columns

/// A part of a verb's closing text: sentences, which may be broken anywhere, or lines that stay as they are. Lines that
/// begin with two spaces are examples; the spaces are not part of the text.
struct TextBlock {
  enum class Kind { prose, example };

  Kind kind = Kind::prose;
  std::vector<std::string> lines;

  bool operator==(const TextBlock&) const = default;
};

std::vector<TextBlock> text_blocks(std::string_view text);

/// Break words into lines of at most `width` characters; a longer word has a line of its own. Characters are counted as
/// one column each.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

}  // namespace berth::cli
