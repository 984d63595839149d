#include "engine/commands/output_capture.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace berth::engine {
namespace {

using Stream = OutputSink::Stream;

/// What `keep` must give: computed from the whole output.
StreamOutput model(const Bytes& all, std::size_t head, std::size_t tail) {
  const auto total = static_cast<std::int64_t>(all.size());
  if (all.size() <= head + tail) return {.head = all, .tail = "", .total_bytes = total};
  return {.head = all.substr(0, head), .tail = all.substr(all.size() - tail), .total_bytes = total};
}

TEST(OutputCapture, C_RUN_3_keep_is_the_first_and_the_last_bytes_for_any_pieces) {
  std::mt19937 random(20261130);
  const auto below = [&](std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit)(random); };
  for (int round = 0; round < 3000; ++round) {
    const auto head = below(20);
    const auto tail = below(20);
    OutputCapture capture({.kind = OutputPolicy::Kind::keep,
                           .head = static_cast<std::int64_t>(head),
                           .tail = static_cast<std::int64_t>(tail)});
    Bytes all[2];
    for (auto pieces = below(8); pieces > 0; --pieces) {
      Bytes piece(below(25), '\0');
      std::ranges::generate(piece, [&] { return static_cast<char>(random()); });
      const auto stream = below(1) == 0 ? Stream::out : Stream::err;
      all[static_cast<int>(stream)] += piece;
      capture.add(stream, piece);
    }
    EXPECT_FALSE(capture.over_limit());
    for (const auto stream : {Stream::out, Stream::err}) {
      ASSERT_EQ(capture.take(stream), model(all[static_cast<int>(stream)], head, tail)) << round;
    }
  }
}

TEST(OutputCapture, C_RUN_3_stop_at_counts_both_streams_and_keeps_the_first_of_each) {
  OutputCapture capture({.limit = 10, .kept = 3});
  capture.add(Stream::out, "12345");
  capture.add(Stream::err, "abcde");
  EXPECT_FALSE(capture.over_limit());
  capture.add(Stream::err, "f");
  EXPECT_TRUE(capture.over_limit());
  capture.add(Stream::out, "6");
  EXPECT_EQ(capture.take(Stream::out), (StreamOutput{.head = "123", .tail = "", .total_bytes = 6}));
  EXPECT_EQ(capture.take(Stream::err), (StreamOutput{.head = "abc", .tail = "", .total_bytes = 6}));
}

TEST(OutputCapture, C_RUN_3_a_stream_that_speaks_only_beyond_the_limit_is_kept_from_its_start) {
  OutputCapture capture({.limit = 4, .kept = 3});
  capture.add(Stream::out, "12345");
  capture.add(Stream::err, "ab");
  capture.add(Stream::err, "cd");
  EXPECT_EQ(capture.take(Stream::err), (StreamOutput{.head = "abc", .tail = "", .total_bytes = 4}));
}

}  // namespace
}  // namespace berth::engine
