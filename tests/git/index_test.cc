#include "git_fixture.h"

namespace berth::git {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using ::testing::IsEmpty;
using testing::IsOk;

class Indexes : public GitTest {
 protected:
  void SetUp() override {
    dir.write("a", "1\n");
    dir.write("b", "1\n");
    dir.write("sub/c", "1\n");
    commit_all();
  }
};

TEST_F(Indexes, C_GIT_2_assume_unchanged_hides_nothing) {
  open();
  sh("git update-index --assume-unchanged a b");
  dir.write("a", "2\n");
  sh("rm b");
  EXPECT_THAT(status(), ElementsAre("modified a", "deleted b"));
  EXPECT_THAT(repository_->require_clean(call), FailsWith(ErrorCode::dirty_workspace));
}

TEST_F(Indexes, C_GIT_2_skip_worktree_hides_nothing) {
  open();
  sh("git update-index --skip-worktree a b");
  dir.write("a", "2\n");
  sh("rm b");
  EXPECT_THAT(status(), ElementsAre("modified a", "deleted b"));
}

TEST_F(Indexes, C_GIT_2_flags_hide_nothing_in_a_version_4_index_either) {
  open();
  sh("git update-index --index-version 4 && git update-index --skip-worktree a && git update-index --assume-unchanged "
     "b");
  dir.write("a", "2\n");
  dir.write("b", "2\n");
  EXPECT_THAT(status(), ElementsAre("modified a", "modified b"));
}

TEST_F(Indexes, what_a_sparse_checkout_left_out_when_opened_is_no_deletion) {
  sh("git sparse-checkout set --no-cone /a /b");
  ASSERT_FALSE(dir.exists("sub/c"));
  open();
  EXPECT_THAT(status(), IsEmpty());
  dir.write("sub/c", "2\n");
  dir.write("a", "2\n");
  EXPECT_THAT(status(), ElementsAre("modified a", "modified sub/c"));
}

TEST_F(Indexes, what_a_sparse_index_left_out_when_opened_is_no_deletion) {
  sh("git sparse-checkout init --cone --sparse-index");
  ASSERT_FALSE(dir.exists("sub/c"));
  open();
  EXPECT_THAT(status(), IsEmpty());
  dir.write("sub/d", "2\n");
  dir.write("a", "2\n");
  EXPECT_THAT(status(), ElementsAre("modified a", "added sub/d (untracked)"));
}

TEST_F(Indexes, a_split_index_is_no_obstacle) {
  sh("git update-index --split-index");
  open();
  dir.write("a", "2\n");
  EXPECT_THAT(status(), ElementsAre("modified a"));
}

TEST_F(Indexes, a_damaged_index_is_no_obstacle_to_looking) {
  open();
  dir.write("a", "2\n");
  for (const char* content :
       {"", "DIRC", "rubbish that is longer than a header and a checksum together, so to speak"}) {
    dir.write(".git/index", content);
    EXPECT_THAT(status(), ElementsAre("modified a")) << content;
    EXPECT_THAT(texts(diff().files), ElementsAre("modified a")) << content;
  }
  sh("rm .git/index");
  EXPECT_THAT(status(), ElementsAre("modified a"));
  EXPECT_FALSE(dir.exists(".git/index")) << "looking makes no index";
}

TEST_F(Indexes, an_index_that_is_cut_or_altered_anywhere_is_no_obstacle) {
  open();
  dir.write("a", "2\n");
  const auto whole = dir.read(".git/index");
  for (std::size_t length = 0; length < whole.size(); length += 37) {
    dir.write(".git/index", whole.substr(0, length));
    ASSERT_THAT(status(), ElementsAre("modified a")) << length;
  }
}

TEST_F(Indexes, a_locked_index_is_no_obstacle_to_looking_and_a_conflict_for_stage) {
  open();
  dir.write("a", "2\n");
  dir.write(".git/index.lock", "");
  EXPECT_THAT(status(), ElementsAre("modified a"));
  EXPECT_THAT(texts(diff().files), ElementsAre("modified a"));
  const std::vector<Path> paths = {path_of("a")};
  EXPECT_THAT(repository_->stage(call, paths), FailsWith(ErrorCode::conflict));
}

TEST_F(Indexes, a_change_of_the_same_size_in_the_same_moment_shows) {
  open();
  for (int round = 0; round < 10; ++round) {
    sh("printf '3\\n' > a; git add a; printf '4\\n' > a");
    ASSERT_THAT(diff().text, ::testing::HasSubstr("+4\n"));
    sh("printf '1\\n' > a; git add a; printf '4\\n' > a");
    ASSERT_THAT(status(), ElementsAre("modified a"));
    sh("printf '1\\n' > a; git add a");
  }
}

TEST_F(Indexes, an_index_that_lies_about_files_is_seen_through_when_it_is_not_trusted) {
  open();
  // The file changes with all its times kept but the change time, which `trustctime` of the repository would ignore;
  // the entry is forged to match it.
  sh("touch -d '2020-01-01' a && git update-index --refresh && printf '2\\n' > a && touch -d '2020-01-01' a");
  EXPECT_THAT(texts(diff({.trust = IndexTrust::none}).files), ElementsAre("modified a"));
}

}  // namespace
}  // namespace berth::git
