#include "surface/cli/diff_text.h"

#include <algorithm>

namespace berth::cli {

void print_diff(Console& console, std::string_view diff) {
  while (!diff.empty()) {
    const auto line = diff.substr(0, diff.find('\n'));
    const auto tone = line.starts_with("+++") || line.starts_with("---") || line.starts_with("@@") ? Tone::dim
                      : line.starts_with("+")                                                      ? Tone::added
                      : line.starts_with("-")                                                      ? Tone::removed
                                                                                                   : Tone::plain;
    console.out_name(tone, line);
    console.out("\n");
    diff.remove_prefix(std::min(diff.size(), line.size() + 1));
  }
}

}  // namespace berth::cli
