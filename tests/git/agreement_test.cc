#include <random>

#include "git_fixture.h"

namespace berth::git {
namespace {

class Agreement : public GitTest {
 protected:
  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }

  std::string content() {
    std::string text;
    for (int line = pick(30); line > 0; --line) text += "line " + std::to_string(pick(12)) + "\n";
    if (pick(5) == 0) text += "no newline";
    if (pick(12) == 0) text += std::string("\0binary", 7);
    return text;
  }
  std::string name() {
    static const std::vector<std::string> parts = {"a", "b", "c c", "\"d\"", "-e", "f\ng", "\xffh", "i.o"};
    std::string path = parts[static_cast<std::size_t>(pick(8))];
    for (int depth = pick(3); depth > 0; --depth) path = "d" + std::to_string(pick(3)) + "/" + path;
    return path;
  }
  /// Do something to the tree, by names the shell takes literally.
  void change() {
    const auto path = shell_word("./" + name());
    switch (pick(9)) {
      case 0: try_sh("rm -rf " + path); break;
      case 1: try_sh("mv " + path + " " + shell_word("./" + name())); break;
      case 2: try_sh("test -f " + path + " && chmod 755 " + path); break;
      case 3: try_sh("test -d " + path + " || ln -sfn " + shell_word(name()) + " " + path); break;
      case 4: try_sh("git add -A -- " + path); break;
      case 5: try_sh("git rm -q --cached -- " + path); break;
      case 6: try_sh("test -f " + path + " && echo more >> " + path); break;
      default: {
        outside_.write("content", content());
        try_sh("mkdir -p \"$(dirname " + path + ")\" && test ! -d " + path + " && test ! -h " + path + " && cp " +
               shell_word(outside_.at("content")) + " " + path);
      }
    }
  }

  std::mt19937 random_{20240611};
};

TEST_F(Agreement, C_GIT_2_the_diff_is_that_of_git_after_adding_everything_on_generated_repositories) {
  dir.write(".gitignore", "*.o\n");
  for (int step = 0; step < 30; ++step) change();
  commit_all();
  for (int round = 0; round < 25; ++round) {
    open();
    for (int step = pick(12) + 1; step > 0; --step) change();
    // A copy of the index takes everything; files that only the baseline holds are not ignored there either.
    const std::string copy = "export GIT_INDEX_FILE=" + shell_word(outside_.at("index")) +
                             "; git read-tree HEAD; git add -A .; git -c core.quotePath=false diff -M --cached HEAD";
    // The repository's own index holds what was added in spite of the rules; our diff shows it as git would.
    const auto expected = sh("git ls-files -z -i -c --exclude-standard | head -c 1").empty() ? sh(copy) : std::string();
    const auto result = diff();
    if (!expected.empty()) {
      EXPECT_EQ(result.text, expected) << "round " << round;
    }
    EXPECT_EQ(result.text, diff({.trust = IndexTrust::none}).text) << "round " << round;
    std::vector<std::string> from_status;
    const auto entries = repository_->status_paths(call);
    ASSERT_THAT(entries, testing::IsOk());
    for (const auto& entry : *entries) from_status.push_back(entry.path.text());
    EXPECT_EQ(from_status.empty(), result.files.empty()) << "round " << round;
    // In every other round git and we know the files from their facts alone, not from what they hold.
    sh("git add -A && git commit -q --allow-empty -m next");
    if (round % 2 == 0) sh("find . -name .git -prune -o -exec touch -h -d 2020-01-01 {} +; git status");
    if (HasFailure()) break;
  }
}

}  // namespace
}  // namespace berth::git
