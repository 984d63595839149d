#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "git_fixture.h"
#include "policy/limits.h"
#include "providers/local/local.h"

namespace berth::git {
namespace {

/// What a look at a repository gives.
struct Seen {
  Diff diff;
  std::vector<StatusEntry> status;

  bool operator==(const Seen&) const = default;
};

void PrintTo(const Seen& seen, std::ostream* out) {
  *out << ::testing::PrintToString(texts(seen.status)) << "\n" << seen.diff.text;
}

/// The work tree is looked at by `git status`, or by a survey where the workspace can: the answers are the same.
class SurveyTest : public GitTest {
 protected:
  std::unique_ptr<Workspace> without_survey(const std::string& below) {
    auto backend = local::open_local({dir.at(below)}, {});
    EXPECT_THAT(backend, testing::IsOk());
    // A policy that keeps something back does not pass the survey on.
    auto limited = make_limited(std::move(backend).value(), {.max_write_bytes = 1});
    EXPECT_THAT(limited, testing::IsOk());
    return std::make_unique<Workspace>(std::move(limited).value());
  }

  Seen look(Workspace& on, const DiffOptions& options) {
    auto repository = GitRepository::open(call, on);
    EXPECT_THAT(repository, testing::IsOk());
    auto found = (*repository)->diff(call, options);
    EXPECT_THAT(found, testing::IsOk());
    auto entries = (*repository)->status_paths(call);
    EXPECT_THAT(entries, testing::IsOk());
    if (!found || !entries) return {};
    return {*std::move(found), *std::move(entries)};
  }

  /// Look both ways; the test fails where they differ.
  Seen agreed(const std::string& below = "", const DiffOptions& options = {}) {
    const auto surveying = workspace(below);
    EXPECT_TRUE(surveying->can_survey());
    const auto asking = without_survey(below);
    EXPECT_FALSE(asking->can_survey());
    auto seen = look(*surveying, options);
    EXPECT_EQ(seen, look(*asking, options));
    return seen;
  }

  /// A commit whose files git knows from a long time ago.
  void make_repository() {
    dir.write(".gitignore", "*.o\n/built/\n");
    for (const char* name : {"a", "b", "d/one", "d/two", "d/e/deep", "d-/x", "d.c", "z"}) {
      dir.write(name, std::string("content of ") + name + "\n");
    }
    sh("ln -s d/one link; chmod 755 b");
    commit_all();
    make_old();
  }
  void make_old() { sh("find . -name .git -prune -o -exec touch -h -d '2020-01-01 10:00:00.5' {} +; git status"); }
};

TEST_F(SurveyTest, C_GIT_2_every_state_of_a_work_tree_is_seen_as_git_status_sees_it) {
  const std::vector<std::string> states = {
      "true",
      "echo more >> a",
      "touch a d/one",
      "cp -p a copy && mv copy a",
      "chmod 755 a; chmod 644 b",
      "rm a d/e/deep",
      "rm -r d",
      "rm -r d; echo file > d",
      "rm -r d; ln -s d- d",
      "rm a; mkdir a; echo x > a/in",
      "rm a; mkdir a",
      "rm a; ln -s z a",
      "rm a; mkfifo a; mkfifo new",
      "rm link; cp d/one link",
      "ln -sfn z link",
      "echo new > new; mkdir n; echo x > n/x; echo y > n/y.o; echo x > x.o; mkdir built; echo x > built/x",
      "mkdir -p d/untracked/deep; echo x > d/untracked/deep/x; echo '!*.o' > d/untracked/.gitignore; echo o > "
      "d/untracked/y.o",
      "mkdir empty d/empty",
      "mkdir d/.git; echo x > d/.git/x; echo x > d/e/.git; echo x > d/new",
      "git config core.fileMode false; chmod 755 a; git config core.ignoreCase true; echo x > A",
      "git config core.checkStat minimal; git config core.trustctime false; touch a; echo more >> z",
      "git init -q nested; echo x > nested/x; git init -q d/nested; git -C d/nested -c user.name=a -c user.email=b "
      "commit "
      "-q --allow-empty -m m",
      "echo staged > a; git add a",
      "echo staged > a; git add a; echo again > a",
      "echo staged > a; git add a; git show HEAD:a > a",
      "git rm -q --cached a",
      "git rm -q --cached a; echo changed > a",
      "git rm -q -r d",
      "echo new > new; git add new; rm new",
      "echo new > new.o; git add -f new.o; echo again > new.o",
      "git mv a moved",
      "git add -N a; echo new > new; git add -N new",
      "git update-index --assume-unchanged a; echo more >> a",
      "git update-index --skip-worktree a; rm a",
      "git update-index --index-version 4; echo more >> a",
      "git update-index --split-index; echo more >> a; git add a; echo again >> a",
      "git checkout -q -b other; echo other > a; git commit -qam other; git checkout -q -; echo this > a; git commit "
      "-qam "
      "this; git merge other || true",
      "git init -q sub; git -C sub -c user.name=a -c user.email=b commit -q --allow-empty -m m; git add sub "
      "2>/dev/null",
      "echo '* text eol=crlf' > .gitattributes; printf 'content of a\\r\\n' > a",
      "echo '* -diff' > .gitattributes; git add .gitattributes; rm .gitattributes; echo more >> a",
      "mkdir -p many; for i in $(seq 600); do echo $i > many/$i; done; git add many; git commit -qm many; touch "
      "many/*; echo "
      "x >> many/7",
      "rm .git/index",
      "printf broken > .git/index",
      "printf '*.c\\nd\\n' > .git/info/exclude; echo x > new.c; echo x > d/new",
      "printf 'a\\n' > \"$(printf 'new\\nline')\"; echo x > ' lead'; echo x > ':(glob)*'; mkdir ':dir'; echo x > "
      "':dir/[x]'",
  };
  for (const auto& state : states) {
    SCOPED_TRACE(state);
    sh("rm -rf .git; find . -mindepth 1 -delete");
    make_repository();
    sh(state);
    for (const char* below : {"", "d"}) {
      if (!dir.exists(std::string(below) + "/.") || sh("test -h d || echo real").empty()) continue;
      SCOPED_TRACE(below);
      agreed(below);
    }
    if (HasFailure()) break;
  }
}

TEST_F(SurveyTest, C_GIT_2_content_that_keeps_size_and_time_is_noticed) {
  make_repository();
  sh("printf 'CONTENT of a\\n' > a; touch -d '2020-01-01 10:00:00.5' a");
  // Git itself only sees it by the second: the time of the change is compared to the nanosecond here.
  EXPECT_THAT(texts(look(*workspace(), {}).status), ::testing::ElementsAre("modified a"));
}

TEST_F(SurveyTest, C_GIT_2_a_file_that_was_only_touched_is_no_change_however_small_the_bounds_are) {
  make_repository();
  sh("touch a d/one; echo more >> z");
  for (const DiffOptions& options :
       {DiffOptions{.max_files = 1}, DiffOptions{.max_file_bytes = 3}, DiffOptions{.max_content_bytes = 20}}) {
    const auto seen = agreed("", options);
    EXPECT_EQ(seen.diff.left_out, 0);
  }
}

TEST_F(SurveyTest, C_GIT_2_a_path_that_is_too_long_leaves_the_answer_to_git) {
  make_repository();
  const std::string name(250, 'n');
  int at = ::open(dir.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  for (int depth = 0; depth < 17; ++depth) {
    ASSERT_EQ(::mkdirat(at, name.c_str(), 0700), 0);
    const int next = ::openat(at, name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ::close(at);
    at = next;
  }
  ::close(at);
  sh("echo more >> a");
  EXPECT_THAT(texts(agreed().status), ::testing::ElementsAre("modified a"));
  sh("rm -rf " + name);
}

TEST_F(SurveyTest, C_GIT_2_linked_worktrees_and_sha256_repositories_are_seen_as_git_status_sees_them) {
  make_repository();
  sh("git worktree add -q -b side tree; echo more >> tree/a; rm tree/b; echo new > tree/new");
  EXPECT_THAT(texts(agreed("tree").status), ::testing::ElementsAre("modified a", "deleted b", "added new (untracked)"));
  agreed();
  sh("rm -rf .git tree; git init -q --object-format=sha256 .; git add -A; git commit -qm first");
  make_old();
  sh("echo more >> a; echo new > new");
  EXPECT_THAT(texts(agreed().status), ::testing::ElementsAre("modified a", "added new (untracked)"));
}

TEST_F(SurveyTest, the_index_of_the_repository_is_not_written) {
  make_repository();
  sh("touch a; echo more >> z");
  const auto before = sh("sha256sum .git/index; stat -c '%Y %Z %i' .git/index; ls -R .git/objects");
  agreed();
  EXPECT_EQ(sh("sha256sum .git/index; stat -c '%Y %Z %i' .git/index; ls -R .git/objects"), before);
}

}  // namespace
}  // namespace berth::git
