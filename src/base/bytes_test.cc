#include "base/bytes.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(DecodeUtf8, C_VAL_3_gives_one_replacement_per_undecodable_byte) {
  EXPECT_EQ(decode_utf8("a\xE2\x82z"), (DecodedText{"a\xEF\xBF\xBD\xEF\xBF\xBDz", true}));
  EXPECT_EQ(decode_utf8("caf\xE9"), (DecodedText{"caf\xEF\xBF\xBD", true}));
  EXPECT_EQ(decode_utf8("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"),
            (DecodedText{"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", false}));
}

TEST(IsUtf8, RefusesSurrogatesOverlongFormsAndWhatIsBeyondUnicode) {
  EXPECT_TRUE(is_utf8(std::string_view("a\0b", 3)));
  for (const char* bytes : {"\xED\xA0\x80", "\xC0\xAF", "\xE0\x80\xAF", "\xF0\x80\x80\xAF", "\xF4\x90\x80\x80",
                            "\xF5\x80\x80\x80", "\x80", "\xE2\x82"}) {
    EXPECT_FALSE(is_utf8(bytes));
  }
}

TEST(Utf8Prefix, NeverCutsASequence) {
  const std::string text = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z";
  for (std::size_t n = 0; n <= text.size(); ++n) {
    const auto cut = utf8_prefix(text, n);
    EXPECT_TRUE(is_utf8(cut)) << n;
    EXPECT_LE(cut.size(), n);
    EXPECT_LE(n - cut.size(), 3U);
  }
}

TEST(Utf8Prefix, CutsOtherBytesAsTheyAre) {
  EXPECT_EQ(utf8_prefix("\x80\x80\x80\x80", 3).size(), 3U);
  EXPECT_EQ(utf8_prefix("caf\xE9 au lait", 5).size(), 5U);
}

}  // namespace
}  // namespace berth
