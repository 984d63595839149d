#include "engine/files/line_pager.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "engine/files/count_newlines.h"
#include "testing/matchers.h"

namespace berth::engine {
namespace {

using berth::testing::FailsWith;

/// The simplest thing that could be right: cut the whole content into lines first.
Result<LinePage> model(const std::string& content, const LineRange& range) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < content.size();) {
    const std::size_t newline = std::min(content.find('\n', at), content.size() - 1);
    lines.push_back(content.substr(at, newline + 1 - at));
    at = newline + 1;
  }
  const auto total = static_cast<std::int64_t>(lines.size());
  if (range.first > std::max<std::int64_t>(total, 1)) return make_error(ErrorCode::offset_out_of_range, "");
  LinePage page;
  page.first_line = range.first;
  page.total_bytes = static_cast<std::int64_t>(content.size());
  for (std::int64_t line = 1; line < range.first; ++line) {
    page.first_offset += static_cast<std::int64_t>(lines[static_cast<std::size_t>(line - 1)].size());
  }
  std::int64_t line = range.first;
  for (; line <= total; ++line) {
    if (range.count && page.line_count == *range.count) break;
    const std::string& text = lines[static_cast<std::size_t>(line - 1)];
    const auto room = static_cast<std::size_t>(range.max_bytes) - page.content.size();
    if (text.size() > room) {
      if (page.line_count > 0) break;
      page.content = text.substr(0, room);
      page.line_cut = true;
      page.line_count = 1;
      ++line;
      break;
    }
    page.content += text;
    ++page.line_count;
  }
  page.truncated = line <= total;
  if (page.truncated) page.next_line = line;
  if (!page.truncated || range.count_lines) page.total_lines = total;
  return page;
}

Result<LinePage> paged(const std::string& content, const LineRange& range, std::size_t piece) {
  LinePager pager(range, {});
  for (std::size_t at = 0; at < content.size() && !pager.done(); at += piece) {
    pager.feed(BytesView(content).substr(at, piece));
  }
  return pager.finish(static_cast<std::int64_t>(content.size()));
}

TEST(LinePager, C_READ_6_agrees_with_a_simple_model_whatever_the_pieces) {
  std::mt19937 random(20240607);
  const auto up_to = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most + 1)); };
  for (int round = 0; round < 50'000; ++round) {
    std::string content;
    for (int i = up_to(24); i > 0; --i) content += up_to(2) == 0 ? '\n' : "ab\r"[up_to(2)];
    LineRange range{.first = 1 + up_to(6), .count = {}, .max_bytes = 1 + up_to(12), .count_lines = up_to(1) == 1};
    if (up_to(1) == 1) range.count = 1 + up_to(4);
    const std::size_t piece = 1 + static_cast<std::size_t>(up_to(9));
    const auto expected = model(content, range);
    const auto actual = paged(content, range, piece);
    ASSERT_EQ(actual.has_value(), expected.has_value());
    if (!expected) {
      ASSERT_THAT(actual, FailsWith(ErrorCode::offset_out_of_range));
      continue;
    }
    ASSERT_EQ(*actual, *expected) << ::testing::PrintToString(content) << " first " << range.first << " count "
                                  << range.count.value_or(-1) << " max " << range.max_bytes << " piece " << piece;
  }
}

TEST(CountNewlines, counts_every_newline_at_any_alignment) {
  std::mt19937 random(7);
  std::string content(40'000, 'x');
  for (char& byte : content) byte = random() % 3 == 0 ? '\n' : static_cast<char>(random());
  for (int round = 0; round < 300; ++round) {
    const BytesView part = BytesView(content).substr(random() % 100, random() % content.size());
    ASSERT_EQ(count_newlines(part), static_cast<std::size_t>(std::count(part.begin(), part.end(), '\n')));
  }
  EXPECT_EQ(count_newlines(std::string(100'000, '\n')), 100'000u);
}

TEST(LinePager, starting_at_a_known_line_gives_the_same_page) {
  const std::string content = "one\ntwo\nthree\nfour";
  const LineRange range{.first = 3, .count = 1, .count_lines = true};
  LinePager pager(range, {.line = 2, .offset = 4});
  pager.feed(BytesView(content).substr(4));
  EXPECT_EQ(*pager.finish(18), *paged(content, range, 100));
}

TEST(LinePager, tells_the_line_in_progress) {
  LinePager pager({.first = 100}, {});
  pager.feed("a\nb\nc");
  EXPECT_EQ(pager.line_in_progress().line, 3);
  EXPECT_EQ(pager.line_in_progress().offset, 4);
}

}  // namespace
}  // namespace berth::engine
