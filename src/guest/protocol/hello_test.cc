#include "guest/protocol/hello.h"

#include <gtest/gtest.h>

#include "testing/matchers.h"

namespace berth::guest {
namespace {

using testing::FailsWith;
using testing::IsOk;

TEST(HelloFrame, ComesBackAsItWas) {
  const Hello hello{.oldest = 2, .newest = 5, .features = 0x8000000000000001, .streams = 3, .window = 70000};
  const auto again = decode_hello(encode_hello(hello));
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ(*again, hello);
}

TEST(HelloFrame, OfALaterVersionIsReadAsFarAsItIsKnown) {
  EXPECT_THAT(decode_hello(encode_hello({.oldest = 1, .newest = 9}) + "more"), IsOk());
}

TEST(HelloFrame, WhatIsNoGreetingIsRefused) {
  const auto good = encode_hello({});
  EXPECT_THAT(decode_hello("sh: berth-guest: not found"), FailsWith(ErrorCode::protocol));
  EXPECT_THAT(decode_hello(good.substr(0, good.size() - 1)), FailsWith(ErrorCode::protocol));
  for (const Hello& bad :
       {Hello{.oldest = 0}, Hello{.oldest = 3, .newest = 2}, Hello{.streams = 0}, Hello{.window = 1}}) {
    EXPECT_THAT(decode_hello(encode_hello(bad)), FailsWith(ErrorCode::protocol));
  }
}

TEST(Versions, TheHighestThatBothSpeakIsSpoken) {
  EXPECT_EQ(*agree({.oldest = 1, .newest = 3}, {.oldest = 2, .newest = 9}), 3);
  EXPECT_EQ(*agree({.oldest = 2, .newest = 9}, {.oldest = 1, .newest = 3}), 3);
  EXPECT_EQ(*agree({.oldest = 4, .newest = 4}, {.oldest = 4, .newest = 4}), 4);
}

TEST(Versions, NoneInCommonNamesBoth) {
  const auto none = agree({.oldest = 3, .newest = 4}, {.oldest = 1, .newest = 2});
  ASSERT_THAT(none, FailsWith(ErrorCode::protocol));
  EXPECT_EQ(*none.error().field("our_versions"), ErrorField::Value("3 to 4"));
  EXPECT_EQ(*none.error().field("their_versions"), ErrorField::Value("1 to 2"));
}

}  // namespace
}  // namespace berth::guest
