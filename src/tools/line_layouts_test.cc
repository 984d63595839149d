#include "tools/line_layouts.h"

#include <gtest/gtest.h>

#include "tools/lines.h"

namespace berth::tools {
namespace {

TEST(NumberLines, right_aligns_numbers_and_ends_without_a_newline) {
  EXPECT_EQ(number_lines("a\nb\n", 9, CarriageReturns::kept), "     9\ta\n    10\tb");
  EXPECT_EQ(number_lines("a\n\nb", 1'000'000, CarriageReturns::kept), "1000000\ta\n1000001\t\n1000002\tb");
  EXPECT_EQ(number_lines("", 1, CarriageReturns::kept), "");
}

TEST(NumberLines, keeps_or_drops_a_cr_before_an_lf_only) {
  EXPECT_EQ(number_lines("a\rb\r\nc\r", 1, CarriageReturns::kept), "     1\ta\rb\r\n     2\tc\r");
  EXPECT_EQ(number_lines("a\rb\r\nc\r", 1, CarriageReturns::dropped), "     1\ta\rb\n     2\tc\r");
}

TEST(NumberLines, is_valid_utf8_whatever_the_content_is) {
  EXPECT_EQ(number_lines("caf\xe9\n", 1, CarriageReturns::kept), "     1\tcaf\uFFFD");
}

TEST(HashLines, names_each_line_by_two_digits_of_its_md5) {
  EXPECT_EQ(hash_lines("caf\xe9\nb\n", 1), "1:4a|caf\uFFFD\n2:92|b");
  EXPECT_EQ(hash_lines("b\r\n", 2), "2:92|b");
}

TEST(FirstCharacters, never_cuts_one) {
  EXPECT_EQ(first_characters("aäb", 2), "aä");
  EXPECT_EQ(first_characters("aäb", 3), "aäb");
  EXPECT_EQ(first_characters("aäb", 9), "aäb");
  EXPECT_EQ(first_characters("ä", 0), "");
  EXPECT_EQ(count_characters("aäb"), 3u);
}

}  // namespace
}  // namespace berth::tools
