#include <vector>

#include <gmock/gmock.h>

#include "os/root_fixture.h"
#include "testing/open_files.h"

namespace berth::os {
namespace {

using testing::FailsWith;
using testing::IsOk;

INSTANTIATE_TEST_SUITE_P(Ways, RootTest, ::testing::Values(Way::kernel, Way::walk), way_name);

struct LinkCase {
  std::string target;     ///< of the link `l`; WS and OUT stand for the absolute names
  std::string path;       ///< opened
  std::string outcome;    ///< content, "directory", or the error's name
  std::string real_path;  ///< or the error's name
};

const std::vector<LinkCase>& link_cases() {
  static const std::vector<LinkCase> cases{
      {"a.txt", "l", "a", "a.txt"},
      {"sub", "l", "directory", "sub"},
      {"sub", "l/b.txt", "b", "sub/b.txt"},
      {"sub/", "l/b.txt", "b", "sub/b.txt"},
      {"./sub//deep/.", "l/c.txt", "c", "sub/deep/c.txt"},
      {"sub/../a.txt", "l", "a", "a.txt"},
      {"sub/deep/../../a.txt", "l", "a", "a.txt"},
      {".", "l", "directory", "."},
      {".", "l/l/l/a.txt", "a", "a.txt"},
      {"sub/..", "l/a.txt", "a", "a.txt"},
      {"WS", "l", "directory", "."},
      {"WS", "l/a.txt", "a", "a.txt"},
      {"WS/sub/b.txt", "l", "b", "sub/b.txt"},
      {"WS//sub/./deep/", "l/c.txt", "c", "sub/deep/c.txt"},
      {"missing", "l", "not_found", "missing"},
      {"WS/missing", "l", "not_found", "missing"},
      {"missing/x", "l/y", "not_found", "missing/x/y"},
      {"a.txt/", "l", "not_a_directory", "not_a_directory"},
      {"a.txt/.", "l", "not_a_directory", "not_a_directory"},
      {"a.txt/..", "l", "not_a_directory", "not_a_directory"},
      {"a.txt", "l/x", "not_a_directory", "not_a_directory"},
      {"l", "l", "symlink_loop", "symlink_loop"},
      {"l/x", "l", "symlink_loop", "symlink_loop"},
      {"WS/l", "l", "symlink_loop", "symlink_loop"},
      {"..", "l", "path_escape", "path_escape"},
      {"../ws/a.txt", "l", "path_escape", "path_escape"},
      {"sub/../../ws/a.txt", "l", "path_escape", "path_escape"},
      {"../out/secret", "l", "path_escape", "path_escape"},
      {"../out", "l/secret", "path_escape", "path_escape"},
      {"../out/missing", "l", "path_escape", "path_escape"},
      {"OUT/secret", "l", "path_escape", "path_escape"},
      {"OUT/missing", "l", "path_escape", "path_escape"},
      {"OUT", "l/secret", "path_escape", "path_escape"},
      {"WS-evil/a.txt", "l", "path_escape", "path_escape"},
      {"WS/../ws/a.txt", "l", "path_escape", "path_escape"},
      {"WS/../out/secret", "l", "path_escape", "path_escape"},
      {"/", "l", "path_escape", "path_escape"},
      {"/proc/self/root", "l", "path_escape", "path_escape"},
      {"/dev/null", "l", "path_escape", "path_escape"},
  };
  return cases;
}

TEST_P(RootTest, C_PATH_5_every_kind_of_link) {
  const auto r = root();
  const auto before = testing::open_files();
  for (const auto& row : link_cases()) {
    SCOPED_TRACE(row.target + " opened as " + row.path);
    link("l", row.target);
    EXPECT_EQ(read(*r, row.path), row.outcome);
    EXPECT_EQ(real(*r, row.path), row.real_path);
    // The parent of what a path finally names is where that is; the root has none.
    EXPECT_EQ(target(*r, row.path), row.real_path == "."             ? "invalid_argument"
                                    : row.real_path == "missing/x/y" ? "not_found"
                                                                     : row.real_path);
    EXPECT_EQ(parent(*r, "l"), "l");
    unlink("l");
  }
  EXPECT_EQ(testing::open_files(), before);
}

TEST_P(RootTest, C_PATH_5_refuse_refuses_any_link_in_the_path) {
  const auto r = root(LinkPolicy::refuse);
  for (const auto& row : link_cases()) {
    SCOPED_TRACE(row.target);
    link("l", row.target);
    EXPECT_EQ(read(*r, row.path), "path_escape");
    EXPECT_EQ(real(*r, row.path), "path_escape");
    EXPECT_EQ(target(*r, row.path), "path_escape");
    EXPECT_EQ(parent(*r, "l/x"), "path_escape");
    EXPECT_EQ(parent(*r, "l/x", Root::Parents::make), "path_escape");
    EXPECT_EQ(parent(*r, "l"), "l");
    unlink("l");
  }
  EXPECT_EQ(read(*r, "sub/deep/c.txt"), "c");
  EXPECT_EQ(real(*r, "sub/deep/c.txt"), "sub/deep/c.txt");
}

TEST_P(RootTest, OpensPlainPaths) {
  const auto r = root();
  EXPECT_EQ(read(*r, "a.txt"), "a");
  EXPECT_EQ(read(*r, "sub/deep/c.txt"), "c");
  EXPECT_EQ(read(*r, "."), "directory");
  EXPECT_EQ(read(*r, "sub"), "directory");
  EXPECT_EQ(read(*r, "nothing"), "not_found");
  EXPECT_EQ(read(*r, "nothing/x"), "not_found");
  EXPECT_EQ(read(*r, "a.txt/x"), "not_a_directory");
}

TEST_P(RootTest, LinksMayChainFortyTimesAndNoMore) {
  const auto r = root();
  link("l1", "a.txt");
  for (int i = 2; i <= 41; ++i) link("l" + std::to_string(i), "l" + std::to_string(i - 1));
  EXPECT_EQ(read(*r, "l40"), "a");
  EXPECT_EQ(real(*r, "l40"), "a.txt");
  EXPECT_EQ(read(*r, "l41"), "symlink_loop");
  EXPECT_EQ(real(*r, "l41"), "symlink_loop");
  EXPECT_EQ(target(*r, "l41"), "symlink_loop");
}

TEST_P(RootTest, TwoLinksThatNameEachOtherAreALoop) {
  const auto r = root();
  link("x", "y");
  link("y", "x");
  link("sub/round", "../sub/round/deep");
  for (const char* name : {"x", "x/a", "sub/round", "sub/round/c.txt"}) {
    EXPECT_EQ(read(*r, name), "symlink_loop") << name;
    EXPECT_EQ(real(*r, name), "symlink_loop") << name;
    EXPECT_EQ(target(*r, name, Root::Parents::make), "symlink_loop") << name;
  }
}

TEST_P(RootTest, TheOpenFlagsMeanWhatTheyMeanToOpen) {
  const auto r = root();
  link("f", "a.txt");
  link("d", "sub");
  const auto open = [&](std::string_view name, int flags) {
    return outcome(r->open_path(call_, path(name), flags), [](const Fd& fd) -> std::string {
      struct stat status {};
      ::fstat(fd.get(), &status);
      if ((::fcntl(fd.get(), F_GETFD) & FD_CLOEXEC) == 0) return "leaks into children";
      return S_ISLNK(status.st_mode) ? "link" : S_ISDIR(status.st_mode) ? "directory" : "file";
    });
  };
  EXPECT_EQ(open("a.txt", O_WRONLY), "file");
  EXPECT_EQ(open("f", O_RDWR), "file");
  EXPECT_EQ(open("sub", O_WRONLY), "is_a_directory");
  EXPECT_EQ(open("sub", O_RDONLY | O_DIRECTORY), "directory");
  EXPECT_EQ(open("d", O_RDONLY | O_DIRECTORY), "directory");
  EXPECT_EQ(open("a.txt", O_RDONLY | O_DIRECTORY), "not_a_directory");
  EXPECT_EQ(open("f", O_RDONLY | O_DIRECTORY), "not_a_directory");
  EXPECT_EQ(open("f", O_PATH), "file");
  EXPECT_EQ(open("d", O_PATH | O_DIRECTORY), "directory");
  EXPECT_EQ(open("f", O_PATH | O_NOFOLLOW), "link");
  EXPECT_EQ(open("f", O_PATH | O_NONBLOCK | O_NOATIME), "file");
  EXPECT_EQ(open("f", O_RDONLY | O_NOFOLLOW), "symlink_loop");
  EXPECT_EQ(open("a.txt", O_RDONLY | O_NOFOLLOW), "file");
  EXPECT_EQ(open(".", O_PATH), "directory");
  for (const int flag : {O_CREAT, O_CREAT | O_EXCL, O_TMPFILE})
    EXPECT_EQ(open("new", O_RDWR | flag), "invalid_argument");
  EXPECT_FALSE(dir_.exists("ws/new"));
}

TEST_P(RootTest, ParentOfGivesAHandleAndTheRealPlace) {
  const auto r = root();
  link("d", "sub/deep");
  link("abs", "WS/sub");
  const auto leaf = r->parent_of(call_, path("d/new"), Root::Parents::must_exist).value();
  EXPECT_EQ(place(leaf), "sub/deep/new");
  EXPECT_EQ(content(Fd(::openat(leaf.directory.get(), "c.txt", O_RDONLY | O_CLOEXEC))), "c");
  EXPECT_NE(::fcntl(leaf.directory.get(), F_GETFL) & O_PATH, 0);
  EXPECT_NE(::fcntl(leaf.directory.get(), F_GETFD) & FD_CLOEXEC, 0);
  EXPECT_EQ(parent(*r, "new"), "new");
  EXPECT_EQ(parent(*r, "sub/new"), "sub/new");
  EXPECT_EQ(parent(*r, "abs/deep/new"), "sub/deep/new");
  EXPECT_EQ(parent(*r, "d"), "d");
  EXPECT_EQ(parent(*r, "a.txt/new"), "not_a_directory");
  EXPECT_EQ(parent(*r, "nothing/new"), "not_found");
  EXPECT_EQ(parent(*r, "."), "invalid_argument");
}

TEST_P(RootTest, ParentOfTargetGoesOnFromALinkedLeaf) {
  const auto r = root();
  link("rel", "sub/b.txt");
  link("abs", "WS/sub/b.txt");
  link("dangling", "sub/new");
  link("chain", "dangling");
  link("sub/here", "deep/.");
  link("sub/up", "..");
  link("sub/self", ".");
  link("below", "no/such/file");
  EXPECT_EQ(target(*r, "a.txt"), "a.txt");
  EXPECT_EQ(target(*r, "new"), "new");
  EXPECT_EQ(target(*r, "rel"), "sub/b.txt");
  EXPECT_EQ(target(*r, "abs"), "sub/b.txt");
  EXPECT_EQ(target(*r, "dangling"), "sub/new");
  EXPECT_EQ(target(*r, "chain"), "sub/new");
  EXPECT_EQ(target(*r, "sub/here"), "sub/deep");
  EXPECT_EQ(target(*r, "sub/self"), "sub");
  EXPECT_EQ(target(*r, "sub/up"), "invalid_argument");
  EXPECT_EQ(target(*r, "below"), "not_found");
  EXPECT_EQ(target(*r, "below", Root::Parents::make), "no/such/file");
  EXPECT_TRUE(dir_.exists("ws/no/such"));
  EXPECT_FALSE(dir_.exists("ws/no/such/file"));
}

TEST_P(RootTest, ParentOfMakesMissingParents) {
  const auto r = root();
  const auto mask = ::umask(027);
  EXPECT_EQ(parent(*r, "n/m/x"), "not_found");
  EXPECT_EQ(parent(*r, "n/m/x", Root::Parents::make), "n/m/x");
  ::umask(mask);
  struct stat status {};
  ASSERT_EQ(::stat(dir_.at("ws/n/m").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0750U);
  EXPECT_FALSE(dir_.exists("ws/n/m/x"));
  EXPECT_EQ(parent(*r, "n/m/x", Root::Parents::make), "n/m/x");
  EXPECT_EQ(parent(*r, "a.txt/m/x", Root::Parents::make), "not_a_directory");
}

TEST_P(RootTest, MakingParentsFollowsLinksInsideAndMakesNothingOutside) {
  const auto r = root();
  link("in", "sub/new");
  link("out", "../out/new");
  link("abs_out", "OUT/new");
  link("file_like", "sub/other/");
  EXPECT_EQ(parent(*r, "in/m/x", Root::Parents::make), "sub/new/m/x");
  EXPECT_EQ(parent(*r, "out/m/x", Root::Parents::make), "path_escape");
  EXPECT_EQ(parent(*r, "abs_out/m/x", Root::Parents::make), "path_escape");
  EXPECT_FALSE(dir_.exists("out/new"));
  // A slash after a name that a link would have to create asks for a directory that is not there.
  EXPECT_EQ(target(*r, "file_like", Root::Parents::make), "not_found");
  EXPECT_FALSE(dir_.exists("ws/sub/other"));
}

TEST_P(RootTest, RealPathKeepsMissingLastComponents) {
  const auto r = root();
  link("d", "sub");
  link("odd", "missing/../sub/./new/..//b.txt");
  EXPECT_EQ(real(*r, "."), ".");
  EXPECT_EQ(real(*r, "sub/deep/c.txt"), "sub/deep/c.txt");
  EXPECT_EQ(real(*r, "d/x/y/z"), "sub/x/y/z");
  EXPECT_EQ(real(*r, "x/y"), "x/y");
  EXPECT_EQ(real(*r, "odd"), "sub/b.txt");
  EXPECT_EQ(real(*r, "a.txt/x"), "not_a_directory");
}

}  // namespace
}  // namespace berth::os
