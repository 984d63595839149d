#include "base/hash.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(Sha256, HashesTheVectorsOfFips180) {
  EXPECT_EQ(to_hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(to_hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256Stream, GivesTheSameDigestHoweverThePiecesFall) {
  const Bytes content(100'000, 'x');
  for (const std::size_t piece : {1UL, 63UL, 64UL, 65UL, 99'999UL}) {
    Sha256Stream stream;
    for (std::size_t at = 0; at < content.size(); at += piece) stream.add(BytesView(content).substr(at, piece));
    EXPECT_EQ(stream.finish(), sha256(content));
  }
}

TEST(Md5Hex, HashesTheVectorsOfRfc1321) {
  EXPECT_EQ(md5_hex(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(md5_hex("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
}

}  // namespace
}  // namespace berth
