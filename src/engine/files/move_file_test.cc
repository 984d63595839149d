#include "engine/files/move_file.h"

#include <unistd.h>

#include "engine/files/files_fixture.h"
#include "engine/files/revision_cache.h"

namespace berth::engine {
namespace {

using berth::testing::FailsWith;
using berth::testing::IsOk;
using Names = std::vector<std::string>;

MoveSpec expecting(std::string_view content) { return {.expected_revision = revision_of(content)}; }

class MoveTest : public FilesTest {};
BERTH_FOR_EVERY_FEATURE_SET(MoveTest);

TEST_P(MoveTest, C_WRITE_7_a_file_moves_and_says_how) {
  dir.write("from", "x");
  chmod("from", 0750);
  const ino_t inode = lstat("from").st_ino;
  const auto outcome = move("from", "a/b/to", expecting("x"));
  ASSERT_THAT(outcome, IsOk());
  const auto fidelity =
      GetParam().features.renameat2 ? MoveOutcome::Fidelity::atomic_rename : MoveOutcome::Fidelity::link_unlink;
  EXPECT_EQ(*outcome, (MoveOutcome{fidelity, revision_of("x")}));
  EXPECT_EQ(tree(), (Names{"a/", "a/b/", "a/b/to"}));
  EXPECT_EQ(lstat("a/b/to").st_ino, inode);
  EXPECT_EQ(mode("a/b/to"), 0750u);
}

TEST_P(MoveTest, C_WRITE_5_only_regular_files_move) {
  dir.make_directory("directory");
  make_fifo("fifo");
  dir.write("file", "x");
  dir.make_link("link", "file");
  EXPECT_THAT(move("missing", "to", expecting("x")), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(move("no/parent", "to", expecting("x")), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(move("directory", "to", expecting("x")), FailsWith(ErrorCode::is_a_directory));
  EXPECT_THAT(move(".", "to", expecting("x")), FailsWith(ErrorCode::is_a_directory));
  EXPECT_THAT(move("fifo", "to", expecting("x")), FailsWith(ErrorCode::not_regular));
  EXPECT_THAT(move("link", "to", expecting("x")), FailsWith(ErrorCode::not_regular));
  EXPECT_EQ(tree(), (Names{"directory/", "fifo", "file", "link"}));
}

TEST_P(MoveTest, C_WRITE_7_never_overwrites_and_names_the_destination) {
  dir.write("from", "x");
  dir.write("file", "y");
  dir.make_directory("directory");
  make_fifo("fifo");
  dir.make_link("link", "from");
  dir.make_link("dangling", "nothing");
  for (const char* to : {"file", "directory", "fifo", "link", "dangling", "."}) {
    const auto outcome = move("from", to, expecting("x"));
    ASSERT_THAT(outcome, FailsWith(ErrorCode::already_exists)) << to;
    EXPECT_EQ(*outcome.error().field("destination"), ErrorField::Value("true"));
  }
  EXPECT_EQ(dir.read("from"), "x");
  EXPECT_EQ(dir.read("file"), "y");
}

TEST_P(MoveTest, C_WRITE_7_refuses_moving_onto_itself) {
  dir.write("sub/from", "x");
  dir.make_link("way", "sub");
  ASSERT_EQ(link(dir.at("sub/from").c_str(), dir.at("hard").c_str()), 0);
  EXPECT_THAT(move("sub/from", "sub/from", expecting("x")), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(move("sub/from", "way/from", expecting("x")), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(move("sub/from", "hard", expecting("x")), FailsWith(ErrorCode::invalid_argument));
  EXPECT_EQ(tree(), (Names{"hard", "sub/", "sub/from", "way"}));
}

TEST_P(MoveTest, C_WRITE_7_a_refused_move_leaves_no_new_directories) {
  dir.write("from", "x");
  EXPECT_THAT(move("from", "a/b/to", expecting("other")), FailsWith(ErrorCode::revision_mismatch));
  EXPECT_THAT(move("from", "a/b/to", {.expected_revision = revision_of("x"), .expected_git_mode = GitMode::executable}),
              FailsWith(ErrorCode::mode_mismatch));
  EXPECT_THAT(move("from", "from/b/to", expecting("x")), FailsWith(ErrorCode::not_a_directory));
  EXPECT_THAT(move("from", "a/b/" + std::string(255, 'n') + "/x/" + std::string(255, 'n'), expecting("no")),
              FailsWith(ErrorCode::revision_mismatch));
  EXPECT_EQ(tree(), Names{"from"});
}

TEST_P(MoveTest, C_WRITE_6_expected_tokens_are_compared) {
  dir.write("from", "x");
  const auto token = stat("from")->token;
  chmod("from", 0600);
  EXPECT_THAT(move("from", "to", {.expected_revision = revision_of("x"), .expected_token = token}),
              FailsWith(ErrorCode::revision_mismatch));
  EXPECT_THAT(move("from", "to", {.expected_revision = revision_of("x"), .expected_token = stat("from")->token}),
              IsOk());
}

TEST_P(MoveTest, C_PATH_5_neither_end_leaves_the_root) {
  testing::TempDir outside;
  outside.write("secret", "s");
  dir.write("from", "x");
  dir.make_link("out", outside.path());
  EXPECT_THAT(move("from", "out/to", expecting("x")), FailsWith(ErrorCode::path_escape));
  EXPECT_THAT(move("out/secret", "to", expecting("s")), FailsWith(ErrorCode::path_escape));
  EXPECT_FALSE(outside.exists("to"));
}

class MakeDirectoryTest : public FilesTest {};
BERTH_FOR_EVERY_FEATURE_SET(MakeDirectoryTest);

TEST_P(MakeDirectoryTest, C_WRITE_5_makes_a_directory_and_its_parents_once) {
  EXPECT_TRUE(make_directory("a/b")->created);
  EXPECT_FALSE(make_directory("a/b")->created);
  EXPECT_FALSE(make_directory("a")->created);
  EXPECT_FALSE(make_directory(".")->created);
  EXPECT_EQ(tree(), (Names{"a/", "a/b/"}));
}

TEST_P(MakeDirectoryTest, C_WRITE_5_anything_else_there_already_exists) {
  testing::TempDir outside;
  dir.write("file", "x");
  make_fifo("fifo");
  dir.make_link("to_file", "file");
  dir.make_link("dangling", "nothing");
  dir.make_directory("directory");
  dir.make_link("to_directory", "directory");
  dir.make_link("out", outside.path());
  for (const char* name : {"file", "fifo", "to_file", "dangling"}) {
    EXPECT_THAT(make_directory(name), FailsWith(ErrorCode::already_exists)) << name;
  }
  EXPECT_FALSE(make_directory("to_directory")->created);
  EXPECT_THAT(make_directory("file/below"), FailsWith(ErrorCode::not_a_directory));
  EXPECT_THAT(make_directory("out"), FailsWith(ErrorCode::path_escape));
  EXPECT_THAT(make_directory("out/below"), FailsWith(ErrorCode::path_escape));
  EXPECT_FALSE(dir.exists("nothing") || outside.exists("below"));
}

}  // namespace
}  // namespace berth::engine
