#include "engine/files/read_lines.h"

#include <fcntl.h>
#include <unistd.h>

#include "engine/files/files_fixture.h"
#include "os/fd.h"

namespace berth::engine {
namespace {

using berth::testing::FailsWith;
using berth::testing::IsOk;

class ReadLinesTest : public FilesTest {};
BERTH_FOR_EVERY_FEATURE_SET(ReadLinesTest);

TEST_P(ReadLinesTest, C_READ_6_lines_end_with_lf_only_and_count_from_one) {
  dir.write("f", "one\r\ntwo\rstill two\nthree");
  const auto page = read_lines("f", {.first = 1, .count = 2});
  ASSERT_THAT(page, IsOk());
  const LinePage expected{.content = "one\r\ntwo\rstill two\n",
                          .first_line = 1,
                          .line_count = 2,
                          .first_offset = 0,
                          .total_bytes = 24,
                          .total_lines = {},
                          .truncated = true,
                          .line_cut = false,
                          .next_line = 3,
                          .token = stat("f")->token};
  EXPECT_EQ(*page, expected);
  EXPECT_EQ(read_lines("f", {.first = 3})->content, "three");
  EXPECT_EQ(read_lines("f", {.first = 3})->total_lines, 3);
  EXPECT_EQ(read_lines("f", {.first = 1, .count = 1, .count_lines = true})->total_lines, 3);
}

TEST_P(ReadLinesTest, C_READ_6_line_one_of_an_empty_file_is_an_empty_page) {
  dir.write("f", "");
  const auto page = read_lines("f");
  ASSERT_THAT(page, IsOk());
  EXPECT_EQ(page->content, "");
  EXPECT_EQ(page->total_lines, 0);
  EXPECT_FALSE(page->truncated);
}

TEST_P(ReadLinesTest, C_READ_6_a_first_line_past_the_end_is_out_of_range_with_both_numbers) {
  dir.write("f", "a\nb\n");
  const auto page = read_lines("f", {.first = 3});
  ASSERT_THAT(page, FailsWith(ErrorCode::offset_out_of_range));
  EXPECT_EQ(*page.error().field("first"), ErrorField::Value(std::int64_t{3}));
  EXPECT_EQ(*page.error().field("total_lines"), ErrorField::Value(std::int64_t{2}));
}

TEST_P(ReadLinesTest, C_READ_6_bad_ranges_are_invalid_arguments) {
  dir.write("f", "a\n");
  EXPECT_THAT(read_lines("f", {.first = 0}), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(read_lines("f", {.count = 0}), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(read_lines("f", {.max_bytes = 0}), FailsWith(ErrorCode::invalid_argument));
}

TEST_P(ReadLinesTest, C_READ_6_an_overlong_line_is_cut_and_reading_goes_on_behind_it) {
  dir.write("f", std::string(1000, 'x') + "\nnext\n");
  const auto page = read_lines("f", {.max_bytes = 10});
  ASSERT_THAT(page, IsOk());
  EXPECT_EQ(page->content, std::string(10, 'x'));
  EXPECT_TRUE(page->line_cut);
  EXPECT_EQ(page->next_line, 2);
  EXPECT_EQ(read_lines("f", {.first = 2, .max_bytes = 10})->content, "next\n");
}

TEST_P(ReadLinesTest, C_READ_4_says_what_stands_in_the_way) {
  dir.write("file", "x");
  EXPECT_THAT(read_lines("missing"), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(read_lines("."), FailsWith(ErrorCode::is_a_directory));
  EXPECT_THAT(read_lines("file/below"), FailsWith(ErrorCode::not_a_directory));
}

TEST(ReadLines, C_READ_6_pages_deep_in_a_big_file_are_the_same_with_and_without_its_index) {
  Scratch scratch;
  std::string content;
  std::vector<std::size_t> starts;
  for (int i = 1; content.size() < 3'000'000; ++i) {
    starts.push_back(content.size());
    content += "line " + std::to_string(i) + std::string(static_cast<std::size_t>(i % 97), '.') + "\n";
  }
  scratch.dir.write("f", content);
  const auto lines = static_cast<std::int64_t>(starts.size());
  // The index is kept for files that were left alone for a second: wait until the file is one.
  timespec file_time = scratch.lstat("f").st_ctim;
  for (timespec now{}; now.tv_sec < file_time.tv_sec + 2;) clock_gettime(CLOCK_REALTIME_COARSE, &now);

  for (int round = 0; round < 3; ++round) {
    for (const std::int64_t first : {lines - 2, lines / 2, std::int64_t{1}, lines / 3}) {
      const auto page = scratch.read_lines("f", {.first = first, .count = 2, .count_lines = true});
      ASSERT_THAT(page, IsOk());
      const std::size_t start = starts[static_cast<std::size_t>(first - 1)];
      EXPECT_EQ(page->content, content.substr(start, starts[static_cast<std::size_t>(first + 1)] - start));
      EXPECT_EQ(page->first_offset, static_cast<std::int64_t>(start));
      EXPECT_EQ(page->total_lines, lines);
    }
    EXPECT_THAT(scratch.read_lines("f", {.first = lines + 1}), FailsWith(ErrorCode::offset_out_of_range));
  }
  scratch.dir.write("f", "short now\n");
  EXPECT_EQ(scratch.read_lines("f", {.count_lines = true})->total_lines, 1);
}

}  // namespace
}  // namespace berth::engine
