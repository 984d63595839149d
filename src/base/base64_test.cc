#include "base/base64.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(Base64, EncodesTheVectorsOfRfc4648) {
  EXPECT_EQ(encode_base64(""), "");
  EXPECT_EQ(encode_base64("f"), "Zg==");
  EXPECT_EQ(encode_base64("fo"), "Zm8=");
  EXPECT_EQ(encode_base64("foo"), "Zm9v");
  EXPECT_EQ(encode_base64("foob"), "Zm9vYg==");
  EXPECT_EQ(encode_base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(encode_base64("foobar"), "Zm9vYmFy");
}

TEST(Base64, DecodesWhatItEncodesForEveryByte) {
  Bytes all;
  for (int i = 0; i < 256; ++i) {
    all += static_cast<char>(i);
    EXPECT_EQ(try_decode_base64(encode_base64(all)), all);
  }
}

TEST(Base64, RefusesWrongCharactersLengthsPaddingAndStrayBits) {
  for (const char* text : {"Z", "Zg=", "Zg==Zg==", "Z===", "====", "Zm9v\n", "Zm 9", "Zh==", "Zm9=", "-_==", "=Zg="}) {
    EXPECT_EQ(try_decode_base64(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace berth
