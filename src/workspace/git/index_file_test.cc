#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workspace/git/index_file.h"

namespace berth::git {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Use = IndexFacts::Use;

Bytes number(std::uint32_t value, int bytes) {
  Bytes text;
  for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) text += static_cast<char>(value >> shift);
  return text;
}

/// Versions 2 and 3.
Bytes entry(const std::string& path, unsigned flags, unsigned extended, std::size_t object_bytes = 20) {
  Bytes text = Bytes(40, 's') + Bytes(object_bytes, 'o');
  if (extended != 0) flags |= 0x4000;
  text += number(flags | static_cast<unsigned>(std::min<std::size_t>(path.size(), 0xfff)), 2);
  if (extended != 0) text += number(extended, 2);
  text += path;
  do {
    text += '\0';
  } while (text.size() % 8 != 0);
  return text;
}

Bytes index(std::uint32_t version, std::uint32_t count, const Bytes& rest, std::size_t object_bytes = 20) {
  return "DIRC" + number(version, 4) + number(count, 4) + rest + Bytes(object_bytes, 'h');
}

TEST(CleanIndex, leaves_an_index_without_flags_as_it_is) {
  const Bytes plain = index(2, 2, entry("a", 0, 0) + entry("b/c", 0x1000, 0) + "TREE" + number(3, 4) + "abc");
  Bytes bytes = plain;
  EXPECT_EQ(clean_index(bytes, 20), (IndexFacts{.use = Use::as_it_is, .not_checked_out = {}}));
  EXPECT_EQ(bytes, plain);
}

TEST(CleanIndex, takes_out_the_flags_that_hide_changes_and_names_what_is_not_checked_out) {
  Bytes bytes = index(3, 4, entry("a", 0x8000, 0) + entry("b", 0, 0x4000) + entry("c", 0, 0x2000) + entry("d", 0, 0));
  const auto facts = clean_index(bytes, 20);
  EXPECT_EQ(facts.use, Use::cleaned);
  EXPECT_THAT(facts.not_checked_out, ElementsAre("b"));
  Bytes again = bytes;
  EXPECT_EQ(clean_index(again, 20), (IndexFacts{.use = Use::as_it_is, .not_checked_out = {}}));
  EXPECT_EQ(again, bytes);
}

TEST(CleanIndex, reads_names_of_every_length_and_objects_of_32_bytes) {
  for (std::size_t length = 1; length < 5000; length += length < 64 ? 1 : 811) {
    for (const std::size_t object_bytes : {std::size_t{20}, std::size_t{32}}) {
      const std::string path(length, 'x');
      Bytes bytes = index(3, 2, entry(path, 0, 0x4000, object_bytes) + entry("y", 0, 0, object_bytes), object_bytes);
      const auto facts = clean_index(bytes, object_bytes);
      EXPECT_EQ(facts.use, Use::cleaned) << length;
      EXPECT_THAT(facts.not_checked_out, ElementsAre(path));
    }
  }
}

TEST(CleanIndex, refuses_versions_and_extensions_that_keep_entries_elsewhere) {
  for (const char* extension : {"link", "sdir", "zzzz"}) {
    Bytes bytes = index(2, 1, entry("a", 0, 0) + extension + number(0, 4));
    EXPECT_EQ(clean_index(bytes, 20).use, Use::unusable) << extension;
  }
  for (const std::uint32_t version : {0u, 1u, 5u}) {
    Bytes bytes = index(version, 1, entry("a", 0, 0));
    EXPECT_EQ(clean_index(bytes, 20).use, Use::unusable) << version;
  }
}

TEST(CleanIndex, reads_damaged_bytes_within_their_bounds) {
  std::mt19937 random(7);
  const Bytes whole = index(3, 3, entry("a", 0x8000, 0) + entry("b", 0, 0x4000) + entry("c", 0, 0));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    Bytes bytes = whole.substr(0, length);
    EXPECT_EQ(clean_index(bytes, 20).use, Use::unusable) << length;
  }
  for (int round = 0; round < 20000; ++round) {
    Bytes bytes = whole;
    if (round % 2 == 0) bytes[7] = 4;
    for (int change = 0; change < 3; ++change) bytes[random() % bytes.size()] = static_cast<char>(random());
    clean_index(bytes, 20);
    EXPECT_EQ(bytes.size(), whole.size());
  }
}

}  // namespace
}  // namespace berth::git
