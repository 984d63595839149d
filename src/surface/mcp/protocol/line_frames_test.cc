#include "surface/mcp/protocol/line_frames.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace berth::mcp {
namespace {

std::vector<std::string> take_all(LineFrames& frames) {
  std::vector<std::string> found;
  while (const auto frame = frames.next()) {
    found.push_back(frame->kind == LineFrames::Frame::Kind::line ? std::string(frame->text) : "<too long>");
  }
  return found;
}

TEST(LineFrames, a_frame_is_a_line_however_it_arrives) {
  LineFrames frames(100);
  frames.feed("one\ntw");
  EXPECT_EQ(take_all(frames), std::vector<std::string>{"one"});
  frames.feed("o\r\n\n  \r\nthree");
  EXPECT_EQ(take_all(frames), std::vector<std::string>{"two"});
  EXPECT_EQ(frames.rest()->text, "three");
  EXPECT_FALSE(frames.rest());
}

TEST(LineFrames, a_line_that_is_too_long_is_reported_once_and_the_next_one_is_read) {
  LineFrames frames(8);
  for (int i = 0; i < 1000; ++i) {
    frames.feed("xxxxxxxxxx");
    EXPECT_EQ(take_all(frames), i == 0 ? std::vector<std::string>{"<too long>"} : std::vector<std::string>{});
  }
  frames.feed("xx\nnext\n");
  EXPECT_EQ(take_all(frames), std::vector<std::string>{"next"});
  frames.feed("123456789\n12345678\n");
  EXPECT_EQ(take_all(frames), (std::vector<std::string>{"<too long>", "12345678"}));
}

TEST(LineFrames, any_cut_of_a_stream_gives_the_same_frames) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::string stream;
    std::vector<std::string> expected;
    for (int line = 0; line < 20; ++line) {
      const std::string text(random() % 20, static_cast<char>('a' + line));
      stream += text + "\n";
      if (text.size() > 12) expected.emplace_back("<too long>");
      if (!text.empty() && text.size() <= 12) expected.push_back(text);
    }
    LineFrames frames(12);
    std::vector<std::string> found;
    for (std::size_t at = 0; at < stream.size();) {
      const std::size_t size = 1 + random() % 30;
      frames.feed(std::string_view(stream).substr(at, size));
      at += size;
      for (auto& one : take_all(frames)) found.push_back(one);
    }
    EXPECT_EQ(found, expected);
  }
}

}  // namespace
}  // namespace berth::mcp
