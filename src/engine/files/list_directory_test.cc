#include "engine/files/list_directory.h"

#include <unistd.h>

#include <atomic>
#include <thread>

#include "engine/files/files_fixture.h"
#include "os/temp_name.h"

namespace berth::engine {
namespace {

using berth::testing::FailsWith;
using berth::testing::IsOk;
using Names = std::vector<std::string>;

Names names_of(const DirectoryListing& listing) {
  Names names;
  for (const DirectoryEntry& entry : listing.entries) names.push_back(entry.name);
  return names;
}

class ListDirectoryTest : public FilesTest {};
BERTH_FOR_EVERY_FEATURE_SET(ListDirectoryTest);

TEST_P(ListDirectoryTest, C_READ_7_entries_are_not_followed_and_sorted_by_bytes) {
  dir.write("d/b", "12");
  dir.write("d/B", "1");
  dir.write("d/.hidden", "");
  dir.make_directory("d/sub");
  dir.make_link("d/to_directory", "sub");
  dir.make_link("d/to_file", "b");
  dir.make_link("d/loop", "loop");
  dir.make_link("d/out", "/etc");
  make_fifo("d/fifo");
  const auto listing = list("d");
  ASSERT_THAT(listing, IsOk());
  EXPECT_EQ(names_of(*listing), (Names{".hidden", "B", "b", "fifo", "loop", "out", "sub", "to_directory", "to_file"}));
  for (const DirectoryEntry& entry : listing->entries) {
    EXPECT_EQ(entry.stat, *stat("d/" + entry.name, FollowLeaf::no)) << entry.name;
    EXPECT_EQ(entry.stat.target_is_directory, entry.name == "to_directory") << entry.name;
  }
  EXPECT_EQ(listing->entries[2].stat.size, 2);
  EXPECT_EQ(listing->entries[3].stat.kind, FileKind::other);
  EXPECT_EQ(listing->entries[4].stat.kind, FileKind::symlink);
  EXPECT_EQ(listing->entries[5].stat.link_target, "/etc");
  EXPECT_EQ(listing->entries[6].stat.kind, FileKind::directory);
}

TEST_P(ListDirectoryTest, C_WRITE_1_temporary_names_never_show) {
  dir.write("d/" + os::make_temp_name(), "x");
  dir.write("d/f", "x");
  EXPECT_EQ(names_of(*list("d")), Names{"f"});
}

TEST_P(ListDirectoryTest, C_PATH_7_names_that_are_not_utf8_are_listed) {
  const std::string odd = "\xff\xfe\n";
  dir.write(odd, "x");
  EXPECT_EQ(names_of(*list(".")), Names{odd});
}

TEST_P(ListDirectoryTest, says_what_stands_in_the_way) {
  dir.write("file", "x");
  dir.make_link("out", "/etc");
  make_fifo("fifo");
  EXPECT_THAT(list("file"), FailsWith(ErrorCode::not_a_directory));
  EXPECT_THAT(list("fifo"), FailsWith(ErrorCode::not_a_directory));
  EXPECT_THAT(list("missing"), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(list("out"), FailsWith(ErrorCode::path_escape));
}

TEST(ListDirectory, an_entry_that_vanishes_meanwhile_is_left_out) {
  Scratch scratch;
  for (int i = 0; i < 300; ++i) scratch.dir.write("d/" + std::to_string(i), "x");
  std::atomic<bool> stop = false;
  std::thread other([&] {
    while (!stop) {
      for (int i = 0; i < 300; i += 2) unlink(scratch.dir.at("d/" + std::to_string(i)).c_str());
      for (int i = 0; i < 300; i += 2) scratch.dir.write("d/" + std::to_string(i), "x");
    }
  });
  for (int i = 0; i < 100; ++i) {
    const auto listing = scratch.list("d");
    ASSERT_THAT(listing, IsOk());
    ASSERT_GE(listing->entries.size(), 150u);
  }
  stop = true;
  other.join();
}

class StatTest : public FilesTest {};
BERTH_FOR_EVERY_FEATURE_SET(StatTest);

TEST_P(StatTest, C_READ_7_describes_what_stands_at_a_path) {
  dir.write("f", "12345");
  chmod("f", 0751);
  const struct stat raw = lstat("f");
  const auto stat_of_f = stat("f");
  ASSERT_THAT(stat_of_f, IsOk());
  EXPECT_EQ(stat_of_f->kind, FileKind::file);
  EXPECT_EQ(stat_of_f->size, 5);
  EXPECT_EQ(stat_of_f->mode, 0751u);
  EXPECT_EQ(stat_of_f->git_mode, GitMode::executable);
  EXPECT_EQ(stat_of_f->modified_at.time_since_epoch().count(),
            raw.st_mtim.tv_sec * 1'000'000'000LL + raw.st_mtim.tv_nsec);
  EXPECT_EQ(stat(".")->kind, FileKind::directory);
  EXPECT_EQ(stat(".", FollowLeaf::no)->kind, FileKind::directory);
  EXPECT_EQ(stat("f", FollowLeaf::no), stat_of_f);
  EXPECT_THAT(stat("missing"), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(stat("f/below"), FailsWith(ErrorCode::not_a_directory));
}

TEST_P(StatTest, C_READ_7_links_are_looked_through_or_described) {
  dir.write("sub/f", "12345");
  dir.make_link("link", "sub/f");
  dir.make_link("to_directory", dir.at("sub"));
  dir.make_link("dangling", "nothing");
  dir.make_link("loop", "loop");
  dir.make_link("out", "/etc");
  EXPECT_EQ(stat("link"), stat("sub/f"));
  EXPECT_EQ(stat("link", FollowLeaf::no)->kind, FileKind::symlink);
  EXPECT_EQ(stat("link", FollowLeaf::no)->link_target, "sub/f");
  EXPECT_FALSE(stat("link", FollowLeaf::no)->target_is_directory);
  EXPECT_TRUE(stat("to_directory", FollowLeaf::no)->target_is_directory);
  EXPECT_THAT(stat("dangling"), FailsWith(ErrorCode::not_found));
  EXPECT_EQ(stat("dangling", FollowLeaf::no)->link_target, "nothing");
  EXPECT_THAT(stat("loop"), FailsWith(ErrorCode::symlink_loop));
  EXPECT_EQ(stat("loop", FollowLeaf::no)->link_target, "loop");
  EXPECT_THAT(stat("out"), FailsWith(ErrorCode::path_escape));
  EXPECT_EQ(stat("out", FollowLeaf::no)->link_target, "/etc");
  EXPECT_FALSE(stat("out", FollowLeaf::no)->target_is_directory);
}

TEST_P(StatTest, C_READ_7_the_token_changes_with_any_write_chmod_or_replacement) {
  std::vector<ChangeToken> tokens;
  dir.write("f", "1");
  tokens.push_back(stat("f")->token);
  dir.write("f", "2");
  tokens.push_back(stat("f")->token);
  chmod("f", 0600);
  tokens.push_back(stat("f")->token);
  tokens.push_back(write("f", "3")->token);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(tokens[i], tokens[j]) << i << " " << j;
  }
  EXPECT_EQ(stat("f")->token, tokens.back());
  EXPECT_EQ(read("f")->token, tokens.back());
  EXPECT_EQ(read_lines("f")->token, tokens.back());
}

}  // namespace
}  // namespace berth::engine
