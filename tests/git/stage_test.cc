#include "git_fixture.h"

namespace berth::git {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::IsOk;
using Why = StageOutcome::Skipped::Why;

class Staging : public GitTest {
 protected:
  StageOutcome stage(std::initializer_list<const char*> names) {
    std::vector<Path> paths;
    for (const char* name : names) paths.push_back(path_of(name));
    auto outcome = repository_->stage(call, paths);
    EXPECT_THAT(outcome, IsOk());
    return outcome ? *outcome : StageOutcome{};
  }
  std::string staged() const { return sh("git diff --cached --name-status --no-renames"); }
};

TEST_F(Staging, C_GIT_2_new_changed_and_deleted_files_with_modes_and_links) {
  dir.write("a", "1\n");
  dir.write("gone", "1\n");
  dir.write("same", "1\n");
  commit_all();
  open();
  dir.write("a", "2\n");
  dir.write("new/x y\n\"z\"", "1\n");
  dir.write("run", "1\n");
  dir.write("later", "1\n");
  sh("rm gone && chmod 755 run && ln -s a link");
  const auto outcome = stage({"a", "gone", "new", "run", "link", "same"});
  EXPECT_THAT(texts(outcome.staged), ElementsAre("a", "gone", "link", "new/x y\n\"z\"", "run"));
  EXPECT_THAT(outcome.skipped, IsEmpty());
  EXPECT_EQ(staged(), "M\ta\nD\tgone\nA\tlink\nA\t\"new/x y\\n\\\"z\\\"\"\nA\trun\n");
  EXPECT_EQ(sh("git diff --stat"), "") << "the index holds what the files hold";
  EXPECT_EQ(sh("git ls-files -s run link | cut -d' ' -f1"), "120000\n100755\n");
  EXPECT_EQ(sh("git fsck 2>&1"), "");
}

TEST_F(Staging, ignored_and_missing_paths_are_skipped_and_said_and_the_others_staged) {
  dir.write(".gitignore", "*.o\n");
  commit_all();
  open();
  dir.write("x.o", "1\n");
  dir.write("a", "1\n");
  const auto outcome = stage({"x.o", "missing", "a"});
  EXPECT_THAT(texts(outcome.staged), ElementsAre("a"));
  const std::vector<StageOutcome::Skipped> skipped = {{path_of("x.o"), Why::ignored},
                                                      {path_of("missing"), Why::missing}};
  EXPECT_EQ(outcome.skipped, skipped);
  EXPECT_EQ(staged(), "A\ta\n");
}

TEST_F(Staging, a_directory_in_the_place_of_a_file) {
  dir.write("d", "1\n");
  commit_all();
  open();
  sh("rm d && mkdir d && echo 1 > d/x");
  stage({"d"});
  EXPECT_EQ(sh("git ls-files"), "d/x\n");
}

TEST_F(Staging, in_a_subdirectory) {
  dir.write("sub/a", "1\n");
  dir.write("a", "1\n");
  commit_all();
  open("sub");
  dir.write("sub/a", "2\n");
  dir.write("a", "2\n");
  EXPECT_THAT(texts(stage({"a"}).staged), ElementsAre("a"));
  EXPECT_EQ(staged(), "M\tsub/a\n");
}

TEST_F(Staging, line_endings_are_converted_as_git_would) {
  dir.write(".gitattributes", "*.txt text\n");
  commit_all();
  open();
  dir.write("a.txt", "1\r\n2\r\n");
  stage({"a.txt"});
  EXPECT_EQ(sh("git show :a.txt"), "1\n2\n");
}

TEST_F(Staging, the_first_files_of_a_new_repository) {
  sh("git init -q -b main .");
  open();
  dir.write("a", "1\n");
  stage({"."});
  EXPECT_EQ(sh("git ls-files"), "a\n");
}

}  // namespace
}  // namespace berth::git
