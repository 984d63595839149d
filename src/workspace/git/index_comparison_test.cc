#include "workspace/git/index_comparison.h"

#include <sys/stat.h>

#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::git {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Bytes number(std::uint32_t value, int bytes) {
  Bytes text;
  for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) text += static_cast<char>(value >> shift);
  return text;
}

/// An entry of version 2: changed 1.2, modified 3.4, device 5, inode 6, owner 7, group 8, size 9.
Bytes entry(const std::string& path, std::uint32_t mode = 0100644, unsigned flags = 0, std::size_t object_bytes = 20) {
  Bytes text;
  for (const std::uint32_t field : {1U, 2U, 3U, 4U, 5U, 6U, mode, 7U, 8U, 9U}) text += number(field, 4);
  text += Bytes(object_bytes, 'o');
  text += number(flags | static_cast<unsigned>(std::min<std::size_t>(path.size(), 0xfff)), 2) + path;
  do {
    text += '\0';
  } while (text.size() % 8 != 0);
  return text;
}

Bytes index(std::uint32_t version, std::uint32_t count, const Bytes& rest, std::size_t object_bytes = 20) {
  return "DIRC" + number(version, 4) + number(count, 4) + rest + Bytes(object_bytes, 'h');
}

/// Version 4 tells a path by how it differs from the one before, and pads nothing.
Bytes compressed(std::size_t drop, const std::string& rest, std::size_t length) {
  Bytes text = entry(rest).substr(0, 60);
  text += number(static_cast<std::uint32_t>(length), 2) + static_cast<char>(drop) + rest;
  return text + '\0';
}

bool is_plain(const Bytes& bytes) {
  PlainEntries plain;
  return read_plain_entries(bytes, 20, plain);
}

SurveyedName file(std::string_view name) {
  return {.name = name,
          .mode = S_IFREG | 0644,
          .inode = 6,
          .owner = 7,
          .group = 8,
          .size = 9,
          .modified_s = 3,
          .modified_ns = 4,
          .changed_s = 1,
          .changed_ns = 2};
}

TEST(PlainEntries, are_read_with_all_their_facts) {
  const Bytes bytes = index(2, 2, entry("a") + entry("b/c", 0100755) + "TREE" + number(3, 4) + "abc");
  PlainEntries plain;
  ASSERT_TRUE(read_plain_entries(bytes, 20, plain));
  ASSERT_EQ(plain.entries.size(), 2U);
  const Bytes object(20, 'o');
  EXPECT_EQ(plain.entries[1], (IndexEntry{.path = "b/c",
                                          .object = object,
                                          .mode = 0100755,
                                          .modified_s = 3,
                                          .modified_ns = 4,
                                          .changed_s = 1,
                                          .changed_ns = 2,
                                          .inode = 6,
                                          .owner = 7,
                                          .group = 8,
                                          .size = 9}));
  for (std::size_t length = 1; length < 5000; length += length < 64 ? 1 : 811) {
    const std::string path(length, 'x');
    const Bytes wide = index(2, 2, entry(path, 0100644, 0, 32) + entry("y", 0100644, 0, 32), 32);
    PlainEntries read;
    ASSERT_TRUE(read_plain_entries(wide, 32, read)) << length;
    EXPECT_EQ(read.entries.front().path, path);
  }
}

TEST(PlainEntries, of_version_4_are_read_with_their_whole_paths) {
  const Bytes bytes = index(4, 3, compressed(0, "a/bc", 4) + compressed(1, "d", 4) + compressed(4, "e", 1));
  PlainEntries plain;
  ASSERT_TRUE(read_plain_entries(bytes, 20, plain));
  std::vector<std::string> paths;
  for (const auto& one : plain.entries) paths.emplace_back(one.path);
  EXPECT_THAT(paths, ElementsAre("a/bc", "a/bd", "e"));
  EXPECT_EQ(plain.entries[2].size, 9U);
  EXPECT_FALSE(is_plain(index(4, 2, compressed(0, "b", 1) + compressed(1, "a", 1)))) << "not sorted";
  EXPECT_FALSE(is_plain(index(4, 1, compressed(1, "a", 1)))) << "there is nothing before it";
}

TEST(PlainEntries, come_with_the_name_of_their_tree_when_the_index_holds_it) {
  const auto tree_of = [](const Bytes& content) {
    const Bytes bytes = index(
        2, 1,
        entry("a") + "REUC" + number(0, 4) + "TREE" + number(static_cast<std::uint32_t>(content.size()), 4) + content);
    PlainEntries plain;
    EXPECT_TRUE(read_plain_entries(bytes, 20, plain));
    return Bytes(plain.tree);
  };
  const Bytes name(20, 't');
  const Bytes root = Bytes(1, '\0') + "1 0\n";
  EXPECT_EQ(tree_of(root + name), name);
  EXPECT_EQ(tree_of(root + name + "d" + root + Bytes(20, 'd')), name);
  EXPECT_EQ(tree_of(Bytes(1, '\0') + "-1 0\n" + name), "") << "not known";
  EXPECT_EQ(tree_of(root + name.substr(1)), "") << "cut";
  EXPECT_EQ(tree_of("d" + root + name), "") << "not the root's";
  EXPECT_EQ(tree_of(""), "");
}

TEST(PlainEntries, of_an_index_that_is_not_plain_are_nothing) {
  for (const Bytes& bytes :
       {index(5, 1, entry("a")), index(2, 2, entry("a")), index(2, 1, entry("a", 0160000)),
        index(2, 1, entry("a", 0100644, 0x8000)), index(3, 1, entry("a", 0100644, 0x4000)),
        index(2, 1, entry("a", 0100644, 0x1000)), index(2, 2, entry("b") + entry("a")),
        index(2, 2, entry("a") + entry("a")), index(2, 1, entry("")), index(2, 1, entry("a") + "link" + number(0, 4)),
        index(2, 1, entry("a") + "TREE" + number(9, 4)), Bytes("DIRC"), Bytes()}) {
    EXPECT_FALSE(is_plain(bytes));
  }
}

TEST(PlainEntries, of_damaged_bytes_stay_within_them) {
  std::mt19937 random(7);
  const Bytes whole = index(2, 3, entry("a") + entry("b/c") + entry("d") + "TREE" + number(3, 4) + "abc");
  for (int round = 0; round < 20'000; ++round) {
    Bytes bytes = whole.substr(0, random() % (whole.size() + 1));
    for (int i = 0; i < 3 && !bytes.empty(); ++i) bytes[random() % bytes.size()] = static_cast<char>(random());
    PlainEntries plain;
    if (!read_plain_entries(bytes, 20, plain) || bytes[7] == 4) continue;
    for (const auto& one : plain.entries) {
      EXPECT_GE(one.path.data(), bytes.data());
      EXPECT_LE(one.path.data() + one.path.size(), bytes.data() + bytes.size());
    }
  }
}

TEST(Likeness, is_same_only_when_every_fact_is) {
  const Bytes bytes = index(2, 1, entry("a"));
  PlainEntries plain;
  ASSERT_TRUE(read_plain_entries(bytes, 20, plain));
  const IndexEntry& known = plain.entries.front();
  EXPECT_EQ(likeness_of(known, file("a"), 4), Likeness::same);
  EXPECT_EQ(likeness_of(known, file("a"), 3), Likeness::maybe) << "it may have changed in the second of the index";
  const auto with = [&](auto change) {
    auto changed = file("a");
    change(changed);
    return likeness_of(known, changed, 4);
  };
  EXPECT_EQ(with([](auto& f) { f.modified_s = 2; }), Likeness::maybe);
  EXPECT_EQ(with([](auto& f) { f.modified_ns = 5; }), Likeness::maybe);
  EXPECT_EQ(with([](auto& f) { f.changed_s = 2; }), Likeness::maybe);
  EXPECT_EQ(with([](auto& f) { f.changed_ns = 0; }), Likeness::maybe);
  EXPECT_EQ(with([](auto& f) { f.inode = 7; }), Likeness::maybe);
  EXPECT_EQ(with([](auto& f) { f.owner = 0; }), Likeness::maybe);
  EXPECT_EQ(with([](auto& f) { f.group = 0; }), Likeness::maybe);
  EXPECT_EQ(with([](auto& f) { f.size = 10; }), Likeness::other);
  EXPECT_EQ(with([](auto& f) { f.mode = S_IFREG | 0755; }), Likeness::other);
  EXPECT_EQ(with([](auto& f) { f.mode = S_IFLNK | 0777; }), Likeness::other);
  EXPECT_EQ(with([](auto& f) { f.mode = S_IFIFO | 0644; }), Likeness::other);
  EXPECT_EQ(with([](auto& f) { f.mode = S_IFREG | 0600; }), Likeness::same);
}

TEST(IndexComparison, tells_changed_missing_and_untracked_names_apart) {
  const Bytes bytes = index(2, 6,
                            entry("top/a") + entry("top/d-/x") + entry("top/d/e/f") + entry("top/d/g") +
                                entry("top/gone/h") + entry("top/z"));
  PlainEntries plain;
  ASSERT_TRUE(read_plain_entries(bytes, 20, plain));
  IndexComparison comparison(plain.entries, "top/", 4);
  const auto path = [](std::string_view text) { return parse_path(text, {}).value(); };
  EXPECT_TRUE(comparison.enter(path("d")));
  EXPECT_TRUE(comparison.enter(path("d/e")));
  EXPECT_FALSE(comparison.enter(path("new")));
  EXPECT_FALSE(comparison.enter(path("d/.git")));
  auto changed_z = file("z");
  changed_z.size = 10;
  auto fifo = file("fifo");
  fifo.mode = S_IFIFO;
  auto directory = file("d");
  directory.mode = S_IFDIR;
  comparison.directory(Path(), std::vector{changed_z, fifo, directory, file("a"), file("b"), file(".git")});
  comparison.directory(path("d/e"), std::vector{file("f")});
  comparison.directory(path("d"), std::vector{file("g"), file("a")});
  comparison.directory(path("d-"), std::vector{file("x")});

  std::vector<std::string> changed;
  for (const auto& one : comparison.take_changed())
    changed.push_back(one.letter + (" " + std::string(one.entry->path)));
  EXPECT_THAT(changed, ::testing::UnorderedElementsAre("M top/z", "D top/gone/h"));
  EXPECT_THAT(comparison.take_untracked_files(), ::testing::UnorderedElementsAre(path("b"), path("d/a")));
  EXPECT_THAT(comparison.take_untracked_directories(), ElementsAre(path("new")));
}

TEST(IndexComparison, of_nothing_with_nothing_is_nothing) {
  IndexComparison comparison({}, "", 4);
  comparison.directory(Path(), {});
  EXPECT_THAT(comparison.take_changed(), IsEmpty());
  EXPECT_THAT(comparison.take_untracked_files(), IsEmpty());
}

}  // namespace
}  // namespace berth::git
