#include "guest/protocol/frame.h"

#include <gtest/gtest.h>

#include <vector>

#include "testing/matchers.h"

namespace berth::guest {
namespace {

using testing::FailsWith;

struct Seen {
  FrameKind kind;
  std::uint8_t flags;
  std::uint64_t stream;
  Bytes payload;

  bool operator==(const Seen&) const = default;
};

/// Feed bytes in pieces of one size; the frames, and whether the end was reached without a complaint.
std::pair<std::vector<Seen>, bool> parse(BytesView bytes, std::size_t piece) {
  FrameParser parser;
  std::vector<Seen> seen;
  while (!bytes.empty()) {
    parser.add(bytes.substr(0, piece));
    bytes.remove_prefix(std::min(piece, bytes.size()));
    while (true) {
      const auto frame = parser.next();
      if (!frame) return {seen, false};
      if (!*frame) break;
      seen.push_back({(*frame)->kind, (*frame)->flags, (*frame)->stream, Bytes((*frame)->payload)});
    }
  }
  return {seen, parser.at_boundary()};
}

TEST(Frames, ComeOutAsTheyWentInWhateverThePieces) {
  Bytes bytes;
  const Bytes large(kMaxPayload, 'x');
  append_frame(bytes, FrameKind::request, kFinal, 1, "head", "body", "tail");
  append_frame(bytes, FrameKind::cancel, 0, ~std::uint64_t{0}, {});
  append_frame(bytes, FrameKind::data, 0, 7, large);
  const std::vector<Seen> expected = {{FrameKind::request, kFinal, 1, "headbodytail"},
                                      {FrameKind::cancel, 0, ~std::uint64_t{0}, ""},
                                      {FrameKind::data, 0, 7, large}};
  for (const std::size_t piece : {std::size_t{1}, std::size_t{15}, std::size_t{4096}, bytes.size()}) {
    const auto [seen, whole] = parse(bytes, piece);
    EXPECT_EQ(seen, expected) << piece;
    EXPECT_TRUE(whole);
  }
  EXPECT_FALSE(parse(BytesView(bytes).substr(0, bytes.size() - 1), bytes.size()).second);
}

TEST(Frames, AHeaderThatBreaksTheRulesIsRefused) {
  Bytes good;
  append_frame(good, FrameKind::data, 0, 1, "x");
  struct Case {
    std::size_t at;
    char byte;
  };
  for (const auto& [at, byte] : {Case{2, 2}, Case{3, 1}, Case{4, 0}, Case{4, 10}, Case{5, 2}, Case{6, 1}, Case{7, 1}}) {
    Bytes bad = good;
    bad[at] = byte;
    FrameParser parser;
    parser.add(bad);
    EXPECT_THAT(parser.next(), FailsWith(ErrorCode::protocol)) << at;
    EXPECT_THAT(parser.next(), FailsWith(ErrorCode::protocol)) << "and stays so";
  }
}

TEST(Frames, ARequestHeadComesBackAsItWas) {
  const RequestHead head{.method = 7, .flags = RequestHead::kLinkFree, .deadline_ns = 0x0102030405060708};
  Bytes bytes;
  append_head(bytes, head);
  EXPECT_EQ(bytes.size(), RequestHead::kBytes);
  BytesView left = bytes;
  EXPECT_EQ(take_head(left), head);
  EXPECT_TRUE(left.empty());
  left = BytesView(bytes).substr(1);
  EXPECT_FALSE(take_head(left));
}

}  // namespace
}  // namespace berth::guest
