#include "git_fixture.h"

namespace berth::git {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using ::testing::IsEmpty;
using testing::IsOk;

class Baselines : public GitTest {};

TEST_F(Baselines, C_GIT_1_the_baseline_is_the_commit_that_HEAD_names_when_it_is_opened) {
  dir.write("a", "1\n");
  commit_all();
  auto& repository = open();
  const Baseline expected{.kind = Baseline::Kind::commit, .commit = sh("git rev-parse HEAD | tr -d '\\n'")};
  EXPECT_EQ(repository.baseline(), expected);
  dir.write("a", "2\n");
  sh("git commit -qam second");
  EXPECT_THAT(status(), ElementsAre("modified a")) << "a later commit does not move the baseline";
  EXPECT_THAT(diff().text, ::testing::HasSubstr("-1\n+2\n"));
}

TEST_F(Baselines, C_GIT_1_no_repository_is_a_baseline_and_every_question_about_it_an_error) {
  dir.write("a", "1\n");
  auto& repository = open();
  EXPECT_EQ(repository.baseline(), Baseline{});
  EXPECT_THAT(repository.diff(call), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(repository.status_paths(call), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(repository.baseline_paths(call), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(repository.require_clean(call), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(repository.snapshot(call), FailsWith(ErrorCode::not_found));
}

TEST_F(Baselines, C_GIT_1_a_branch_without_a_commit_is_a_baseline_against_which_everything_is_new) {
  sh("git init -q -b main .");
  dir.write("a", "1\n");
  dir.write("staged", "1\n");
  sh("git add staged");
  auto& repository = open();
  EXPECT_EQ(repository.baseline(), (Baseline{.kind = Baseline::Kind::no_commit, .commit = ""}));
  EXPECT_THAT(status(), ElementsAre("added a (untracked)", "added staged"));
  EXPECT_THAT(texts(diff().files), ElementsAre("added a", "added staged"));
  EXPECT_THAT(texts(*repository.baseline_paths(call)), IsEmpty());
  EXPECT_THAT(repository.require_clean(call), FailsWith(ErrorCode::dirty_workspace));
}

TEST_F(Baselines, C_GIT_1_a_detached_head_is_a_commit_like_any) {
  dir.write("a", "1\n");
  commit_all();
  sh("git checkout -q --detach");
  EXPECT_EQ(open().baseline().kind, Baseline::Kind::commit);
  dir.write("a", "2\n");
  EXPECT_THAT(status(), ElementsAre("modified a"));
}

TEST_F(Baselines, C_GIT_1_a_damaged_head_is_an_error_and_never_no_baseline) {
  dir.write("a", "1\n");
  commit_all();
  const auto space = workspace();
  dir.write(".git/refs/heads/main", "no commit\n");
  EXPECT_THAT(GitRepository::open(call, *space), FailsWith(ErrorCode::io)) << "a branch that is damaged";
  dir.write(".git/HEAD", "rubbish\n");
  EXPECT_THAT(GitRepository::open(call, *space), FailsWith(ErrorCode::io)) << "a HEAD that is damaged";
  dir.write(".git/HEAD", "ref: refs/heads/main\n");
  dir.write(".git/config", "[core\n");
  EXPECT_THAT(GitRepository::open(call, *space), FailsWith(ErrorCode::io)) << "a configuration that is damaged";
}

TEST_F(Baselines, C_GIT_1_a_git_file_that_leads_nowhere_is_an_error) {
  dir.write(".git", "gitdir: /nonexistent\n");
  const auto space = workspace();
  EXPECT_THAT(GitRepository::open(call, *space), FailsWith(ErrorCode::io));
}

TEST_F(Baselines, an_empty_git_directory_is_passed_over_as_git_does) {
  dir.write("a", "1\n");
  commit_all();
  dir.make_directory("sub/.git");
  EXPECT_EQ(open("sub").baseline().kind, Baseline::Kind::commit);
}

TEST_F(Baselines, a_bare_repository_planted_among_the_files_is_none) {
  dir.write("sub/x", "1\n");
  sh("git init -q --bare planted && cp -r planted/. sub");
  EXPECT_EQ(open("sub").baseline(), Baseline{});
}

TEST_F(Baselines, a_root_inside_the_git_directory_is_in_no_repository) {
  dir.write("a", "1\n");
  commit_all();
  EXPECT_EQ(open(".git/refs").baseline(), Baseline{});
}

TEST_F(Baselines, C_GIT_1_require_clean_refuses_tracked_and_staged_changes_and_no_others) {
  dir.write("a", "1\n");
  dir.write("b", "1\n");
  commit_all();
  auto& repository = open();
  EXPECT_THAT(repository.require_clean(call), IsOk());
  dir.write("untracked", "1\n");
  EXPECT_THAT(repository.require_clean(call), IsOk());
  dir.write("b", "2\n");
  const auto refused = repository.require_clean(call);
  ASSERT_THAT(refused, FailsWith(ErrorCode::dirty_workspace));
  EXPECT_EQ(*refused.error().field("count"), ErrorField::Value(std::int64_t{1}));
  EXPECT_EQ(*refused.error().field("paths"), ErrorField::Value(std::vector<std::string>{"b"}));
  dir.write("b", "1\n");
  EXPECT_THAT(repository.require_clean(call), IsOk());
  sh("git add untracked");
  EXPECT_THAT(repository.require_clean(call), FailsWith(ErrorCode::dirty_workspace)) << "staged";
  sh("git rm -q --cached untracked && git rm -q --cached a");
  EXPECT_THAT(repository.require_clean(call), FailsWith(ErrorCode::dirty_workspace)) << "taken out of the index";
}

TEST_F(Baselines, C_GIT_2_baseline_paths_are_the_files_of_the_commit_below_the_root) {
  dir.write("sub/b\nc", "1\n");
  dir.write("sub/\xff", "1\n");
  dir.write("sub/-x", "1\n");
  dir.write("a", "1\n");
  dir.make_link("sub/link", "a");
  commit_all();
  EXPECT_THAT(texts(*open().baseline_paths(call)), ElementsAre("a", "sub/-x", "sub/b\nc", "sub/link", "sub/\xff"));
  EXPECT_THAT(texts(*open("sub").baseline_paths(call)), ElementsAre("-x", "b\nc", "link", "\xff"));
}

TEST_F(Baselines, C_GIT_3_a_linked_worktree_works) {
  dir.write("main/a", "1\n");
  sh("cd main && git init -q -b main . && git add -A && git commit -qm first && git worktree add -q ../linked");
  dir.write("linked/a", "2\n");
  dir.write("linked/n", "1\n");
  auto& repository = open("linked");
  EXPECT_EQ(repository.baseline().kind, Baseline::Kind::commit);
  EXPECT_THAT(status(), ElementsAre("modified a", "added n (untracked)"));
  EXPECT_THAT(texts(diff().files), ElementsAre("modified a", "added n"));
  const std::vector<Path> paths = {path_of("n")};
  ASSERT_THAT(repository.stage(call, paths), IsOk());
  EXPECT_EQ(sh("cd linked && git diff --cached --name-only"), "n\n");
  EXPECT_EQ(sh("cd main && git diff --cached --name-only"), "");
}

TEST_F(Baselines, a_repository_with_sha256_works) {
  dir.write("a", "1\n");
  commit_all("--object-format=sha256");
  EXPECT_EQ(open().baseline().commit.size(), 64u);
  dir.write("a", "2\n");
  dir.write("n", "1\n");
  EXPECT_THAT(texts(diff().files), ElementsAre("modified a", "added n"));
  sh("git update-index --assume-unchanged a");
  EXPECT_THAT(status(), ElementsAre("modified a", "added n (untracked)"));
  const std::vector<Path> paths = {path_of("n")};
  ASSERT_THAT(repository_->stage(call, paths), IsOk());
  EXPECT_EQ(sh("git diff --cached --name-only"), "n\n");
}

TEST_F(Baselines, a_repository_of_another_owner_is_read_all_the_same) {
  dir.write("a", "1\n");
  commit_all();
  // Only root can give files away; for anybody else this is the plain case.
  try_sh("chown -R 12345 .git . 2>/dev/null");
  dir.write("a", "2\n");
  EXPECT_EQ(open().baseline().kind, Baseline::Kind::commit);
  EXPECT_THAT(status(), ElementsAre("modified a"));
}

TEST_F(Baselines, without_git_the_answer_is_unsupported_with_the_next_step) {
  dir.write("a", "1\n");
  commit_all();
  const auto space = workspace("", {{"PATH", "/nonexistent"}});
  const auto opened = GitRepository::open(call, *space);
  ASSERT_THAT(opened, FailsWith(ErrorCode::unsupported));
  EXPECT_THAT(opened.error().hint, ::testing::HasSubstr("install git"));
}

TEST_F(Baselines, a_deadline_is_honoured_also_when_git_hangs) {
  dir.write("a", "1\n");
  commit_all();
  // A configuration that never ends: git opens what it includes.
  sh("mkfifo .git/never && git config include.path never || true");
  const auto space = workspace();
  const auto start = Clock::now();
  const auto opened = GitRepository::open(
      {.deadline = Deadline::after(std::chrono::milliseconds(600)), .stop = {}, .trace_id = {}}, *space);
  EXPECT_THAT(opened, FailsWith(ErrorCode::timed_out));
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(5));
}

}  // namespace
}  // namespace berth::git
