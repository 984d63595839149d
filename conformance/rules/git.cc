#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/rules.h"
#include "workspace/git/git_entries.h"
#include "workspace/git/git_repository.h"

namespace berth::conformance {
namespace {

using git::GitRepository;
using testing::FailsWith;
using ::testing::HasSubstr;
using testing::IsOk;

/// Rules about git, which needs commands. Where there are none, each asserts the refusal.
class GitRules : public Rules {
 protected:
  void run(std::string_view text) {
    auto outcome = workspace().run(soon(), script(text));
    ASSERT_THAT(outcome, IsOk());
    ASSERT_EQ(outcome->shell_status(), 0) << outcome->err.head;
  }

  void commit_all() {
    run("export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null; git init -q -b main . && git add -A && "
        "git -c user.name=a -c user.email=a@example.com commit -q -m first");
  }
};

class Git : public GitRules {};
INSTANTIATE_TEST_SUITE_P(, Git, ::testing::ValuesIn(subjects()),
                         [](const auto& parameter) { return parameter.param.name; });

#define REQUIRE_GIT() \
  if (!can_run()) return expect_refused(GitRepository::open(soon(), workspace()))

TEST_P(Git, C_GIT_1_opening_pins_the_commit_that_HEAD_names) {
  REQUIRE_GIT();
  put("a", "1\n");
  auto none = GitRepository::open(soon(), workspace());
  ASSERT_THAT(none, IsOk());
  EXPECT_EQ((*none)->baseline(), git::Baseline{});
  EXPECT_THAT((*none)->diff(soon()), FailsWith(ErrorCode::not_found));
  commit_all();
  auto repository = GitRepository::open(soon(), workspace());
  ASSERT_THAT(repository, IsOk());
  EXPECT_EQ((*repository)->baseline().kind, git::Baseline::Kind::commit);
  EXPECT_THAT((*repository)->require_clean(soon()), IsOk());
  put("a", "2\n");
  EXPECT_THAT((*repository)->require_clean(soon()), FailsWith(ErrorCode::dirty_workspace));
}

TEST_P(Git, C_GIT_2_the_diff_is_the_work_tree_against_the_baseline) {
  REQUIRE_GIT();
  put("a", "1\n");
  put("d/b", "1\n");
  commit_all();
  auto repository = GitRepository::open(soon(), workspace());
  ASSERT_THAT(repository, IsOk());
  put("a", "2\n");
  put("new", "1\n");
  run("git add a && git rm -q --cached d/b && git update-index --assume-unchanged a");
  const auto diff = (*repository)->diff(soon());
  ASSERT_THAT(diff, IsOk());
  EXPECT_EQ(diff->files.size(), 2u);
  EXPECT_THAT(diff->text, HasSubstr("-1\n+2\n"));
  EXPECT_THAT(diff->text, HasSubstr("+++ b/new\n"));
  const auto status = (*repository)->status_paths(soon());
  ASSERT_THAT(status, IsOk());
  std::vector<Path> paths;
  for (const auto& entry : *status) paths.push_back(entry.path);
  EXPECT_EQ(texts(paths), (std::vector<std::string>{"a", "new"}));
  EXPECT_EQ(texts(*(*repository)->baseline_paths(soon())), (std::vector<std::string>{"a", "d/b"}));
}

TEST_P(Git, C_GIT_3_nothing_that_the_repository_configures_runs) {
  REQUIRE_GIT();
  put("a", "1\n");
  commit_all();
  run("git config core.fsmonitor 'touch ran;' && git config filter.evil.clean 'touch ran; cat' && "
      "git config diff.external 'touch ran;' && git config diff.evil.textconv 'touch ran; cat' && "
      "echo '* filter=evil diff=evil' > .git/info/attributes");
  put("a", "2\n");
  auto repository = GitRepository::open(soon(), workspace());
  ASSERT_THAT(repository, IsOk());
  EXPECT_THAT((*repository)->diff(soon()), IsOk());
  EXPECT_THAT((*repository)->status_paths(soon()), IsOk());
  const std::vector<Path> all = {Path()};
  EXPECT_THAT((*repository)->stage(soon(), all), IsOk());
  EXPECT_EQ(workspace().exists(soon(), "ran"), Result<bool>(false));
}

TEST_P(Git, C_GIT_4_entries_are_sorted_with_an_exact_total) {
  for (const char* path : {"b/y", "b/x", "b.txt", "a"}) put(path, "1\n");
  const auto page = git::list_git_entries(soon(), workspace(), 2);
  ASSERT_THAT(page, IsOk());
  std::vector<Path> paths;
  for (const auto& entry : page->entries) paths.push_back(entry.path);
  EXPECT_EQ(texts(paths), (std::vector<std::string>{"a", "b.txt"}));
  EXPECT_EQ(page->total, 4);
  EXPECT_THAT(git::list_git_entries(soon(), workspace(), 0), FailsWith(ErrorCode::invalid_argument));
}

}  // namespace
}  // namespace berth::conformance
