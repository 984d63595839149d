#include "workspace/edit/unified_diff.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "workspace/edit/line_diff.h"

namespace berth {
namespace {

constexpr std::size_t kContext = 3;
/// Of both contents together, between the lines they begin and end with alike.
constexpr std::size_t kMostCompared = 8 * 1024 * 1024;
constexpr std::string_view kBinary = "Binary files differ\n";
constexpr std::string_view kNoNewline = "\\ No newline at end of file\n";

/// What is left of two contents without the lines that both begin with or both end with, but for those around it that
/// are shown.
struct Middle {
  BytesView before;
  BytesView after;
  std::size_t lines_before_it = 0;
};

Middle middle_of(BytesView before, BytesView after) {
  const std::size_t shorter = std::min(before.size(), after.size());
  const auto alike = static_cast<std::size_t>(
      std::mismatch(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(shorter), after.begin()).first -
      before.begin());
  const auto line_begin = [&](std::size_t at) { return at == 0 ? 0 : before.rfind('\n', at - 1) + 1; };
  std::size_t begin = line_begin(alike);
  const auto longest_end = static_cast<std::ptrdiff_t>(shorter - begin);
  const auto ending = static_cast<std::size_t>(
      std::mismatch(before.rbegin(), before.rbegin() + longest_end, after.rbegin()).first - before.rbegin());
  for (std::size_t i = 0; i < kContext && begin > 0; ++i) begin = line_begin(begin - 1);

  // The first line of the common end may only be the end of a line.
  std::size_t cut = before.size() - ending;
  for (std::size_t i = 0; i <= kContext && cut < before.size(); ++i)
    cut = std::min(before.find('\n', cut), before.size() - 1) + 1;
  const std::size_t dropped = before.size() - cut;
  return {.before = before.substr(begin, cut - begin),
          .after = after.substr(begin, after.size() - dropped - begin),
          .lines_before_it = static_cast<std::size_t>(
              std::count(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(begin), '\n'))};
}

std::vector<BytesView> split_lines(BytesView text) {
  std::vector<BytesView> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

/// Gives equal lines equal numbers.
class LineNumbers {
 public:
  std::vector<std::uint32_t> of(const std::vector<BytesView>& lines) {
    std::vector<std::uint32_t> numbers;
    numbers.reserve(lines.size());
    for (const auto line : lines) {
      numbers.push_back(known_.try_emplace(line, static_cast<std::uint32_t>(known_.size())).first->second);
    }
    return numbers;
  }

 private:
  std::unordered_map<BytesView, std::uint32_t> known_;
};

/// One line of a hunk: ' ', '-' or '+', and the text with its ending.
struct HunkLine {
  char kind;
  BytesView text;
};

struct Hunk {
  std::size_t before_at = 0;  ///< lines before the hunk, in each text
  std::size_t after_at = 0;
  std::vector<HunkLine> lines;
};

std::vector<Hunk> make_hunks(const std::vector<BytesView>& before, const std::vector<BytesView>& after,
                             const LineDiff& diff) {
  std::vector<Hunk> hunks;
  std::size_t i = 0;
  std::size_t j = 0;
  std::size_t equal = 0;  // unchanged lines just before (i, j) that belong to no hunk yet
  bool open = false;
  while (i < before.size() || j < after.size()) {
    const bool removed = i < before.size() && diff.removed[i];
    const bool added = !removed && j < after.size() && diff.added[j];
    if (!removed && !added) {
      ++equal;
      ++i;
      ++j;
      if (open && equal > 2 * kContext) {
        for (std::size_t k = 0; k < kContext; ++k) hunks.back().lines.push_back({' ', before[i - equal + k]});
        open = false;
      }
      continue;
    }
    const std::size_t context = open ? equal : std::min(equal, kContext);
    if (!open) hunks.push_back({i - context, j - context, {}});
    open = true;
    for (std::size_t k = 0; k < context; ++k) hunks.back().lines.push_back({' ', before[i - context + k]});
    equal = 0;
    if (removed) {
      hunks.back().lines.push_back({'-', before[i++]});
    } else {
      hunks.back().lines.push_back({'+', after[j++]});
    }
  }
  if (open) {
    for (std::size_t k = 0; k < std::min(equal, kContext); ++k) {
      hunks.back().lines.push_back({' ', before[i - equal + k]});
    }
  }
  return hunks;
}

std::string range(char sign, std::size_t lines_before, std::size_t count) {
  // A range without lines names the line before it.
  std::string text = sign + std::to_string(count == 0 ? lines_before : lines_before + 1);
  if (count != 1) text += "," + std::to_string(count);
  return text;
}

std::size_t bytes_of(const HunkLine& line) {
  return 1 + line.text.size() + (line.text.ends_with('\n') ? 0 : 1 + kNoNewline.size());
}

Bytes render(const Hunk& hunk) {
  std::size_t removed = 0;
  std::size_t added = 0;
  Bytes body;
  for (const auto& line : hunk.lines) {
    removed += line.kind != '+';
    added += line.kind != '-';
    body += line.kind;
    body += line.text;
    if (!line.text.ends_with('\n')) {
      body += '\n';
      body += kNoNewline;
    }
  }
  return "@@ " + range('-', hunk.before_at, removed) + " " + range('+', hunk.after_at, added) + " @@\n" + body;
}

/// The first `count` lines of a hunk as a hunk of its own: old lines that follow become its context, without which
/// patch programs take its end for the end of the file.
Hunk first_lines(const Hunk& hunk, std::size_t count) {
  Hunk part{hunk.before_at, hunk.after_at, {}};
  part.lines.assign(hunk.lines.begin(), hunk.lines.begin() + static_cast<std::ptrdiff_t>(count));
  std::size_t context = 0;
  for (std::size_t i = count; i < hunk.lines.size() && context < kContext; ++i) {
    if (hunk.lines[i].kind == '+') continue;
    part.lines.push_back({' ', hunk.lines[i].text});
    ++context;
  }
  return part;
}

/// Render what fits of a hunk: whole lines, at least one change, or nothing.
Bytes render_within(const Hunk& hunk, std::size_t max_bytes) {
  std::size_t fitting = 0;
  for (std::size_t used = 0; fitting < hunk.lines.size(); ++fitting) {
    used += bytes_of(hunk.lines[fitting]);
    if (used > max_bytes) break;
  }
  for (; fitting > 0; --fitting) {
    if (hunk.lines[fitting - 1].kind == ' ') continue;
    Bytes text = render(first_lines(hunk, fitting));
    if (text.size() <= max_bytes) return text;
  }
  return {};
}

bool needs_escape(unsigned char byte, bool is_text) noexcept {
  return byte < 0x20 || byte == 0x7F || byte == '"' || byte == '\\' || (byte >= 0x80 && !is_text);
}

/// A name as git writes it in a diff: quoted like a C string where it holds what would confuse a reader of lines.
std::string quote_name(std::string_view prefix, std::string_view name) {
  const bool is_text = is_utf8(name);
  if (std::ranges::none_of(name, [&](char c) { return needs_escape(static_cast<unsigned char>(c), is_text); })) {
    return std::string(prefix) + std::string(name);
  }
  std::string quoted = "\"" + std::string(prefix);
  constexpr std::string_view kShort = "\a\b\t\n\v\f\r\"\\";
  constexpr std::string_view kLetters = "abtnvfr\"\\";
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (!needs_escape(byte, is_text)) {
      quoted += c;
      continue;
    }
    quoted += '\\';
    if (const auto at = kShort.find(c); at != std::string_view::npos) {
      quoted += kLetters[at];
    } else {
      quoted += static_cast<char>('0' + (byte >> 6));
      quoted += static_cast<char>('0' + ((byte >> 3) & 7));
      quoted += static_cast<char>('0' + (byte & 7));
    }
  }
  return quoted + "\"";
}

std::string header(std::string_view name) {
  // As git does: without the tab a reader would take what follows a blank for a time.
  const std::string_view end = name.find(' ') == std::string_view::npos ? "\n" : "\t\n";
  return "--- " + quote_name("a/", name) + std::string(end) + "+++ " + quote_name("b/", name) + std::string(end);
}

bool is_binary(BytesView content) noexcept { return content.find('\0') != BytesView::npos; }

}  // namespace

BoundedDiff unified_diff(std::string_view name, BytesView before, BytesView after, std::size_t max_bytes) {
  if (before == after) return {};
  if (is_binary(before) || is_binary(after)) {
    if (kBinary.size() > max_bytes) return {.text = {}, .truncated = true};
    return {.text = Bytes(kBinary), .truncated = false};
  }
  const Middle middle = middle_of(before, after);
  if (middle.before.size() + middle.after.size() > kMostCompared) return {.text = {}, .truncated = true};
  const auto before_lines = split_lines(middle.before);
  const auto after_lines = split_lines(middle.after);
  LineNumbers numbers;
  const auto before_numbers = numbers.of(before_lines);
  const auto after_numbers = numbers.of(after_lines);
  auto hunks = make_hunks(before_lines, after_lines, diff_lines(before_numbers, after_numbers));
  for (auto& hunk : hunks) {
    hunk.before_at += middle.lines_before_it;
    hunk.after_at += middle.lines_before_it;
  }

  BoundedDiff diff{.text = header(name), .truncated = false};
  const std::size_t header_bytes = diff.text.size();
  for (const auto& hunk : hunks) {
    Bytes text = render(hunk);
    if (diff.text.size() + text.size() > max_bytes) {
      diff.truncated = true;
      // A first hunk that is too long is still worth its beginning.
      const bool is_first = diff.text.size() == header_bytes;
      if (is_first && header_bytes < max_bytes) diff.text += render_within(hunk, max_bytes - header_bytes);
      break;
    }
    diff.text += text;
  }
  if (diff.text.size() == header_bytes) diff.text.clear();
  return diff;
}

}  // namespace berth
