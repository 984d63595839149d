#include "os/root.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace berth::os {
namespace {

using testing::FailsWith;
using testing::IsOk;
using testing::TempDir;

/// Path resolution by the kernel, and by the walk that stands in for it.
enum class Way { kernel, walk };

RootOptions options(Way way, LinkPolicy links = LinkPolicy::follow_inside) {
  return {links, Features{.openat2 = way == Way::kernel}};
}

Path path(std::string_view text) { return parse_path(text, {}).value(); }

std::string content(const Result<Fd>& fd) {
  if (!fd) return std::string(error_info(fd.error().code).name);
  struct stat status {};
  if (::fstat(fd->get(), &status) == 0 && S_ISDIR(status.st_mode)) return "directory";
  std::string bytes(4096, '\0');
  const auto got = ::read(fd->get(), bytes.data(), bytes.size());
  bytes.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return bytes;
}

/// A workspace with every kind of link, and a place outside it.
class RootTest : public ::testing::TestWithParam<Way> {
 protected:
  RootTest() {
    dir_.write("ws/a.txt", "a");
    dir_.write("ws/sub/b.txt", "b");
    dir_.write("ws/sub/deep/c.txt", "c");
    dir_.write("out/secret", "secret");
  }

  std::shared_ptr<Root> root(LinkPolicy links = LinkPolicy::follow_inside) const {
    return Root::open({dir_.at("ws")}, options(GetParam(), links)).value();
  }

  void link(std::string_view name, std::string_view target) const {
    dir_.make_link("ws/" + std::string(name), target);
  }

  std::string read(const Root& in, std::string_view name) const {
    return content(in.open_path(call_, path(name), O_RDONLY | O_NONBLOCK));
  }

  TempDir dir_;
  Call call_;
};

INSTANTIATE_TEST_SUITE_P(Ways, RootTest, ::testing::Values(Way::kernel, Way::walk),
                         [](const auto& way) { return way.param == Way::kernel ? "openat2" : "walk"; });

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
  for (const auto& row : link_cases()) {
    SCOPED_TRACE(row.target + " opened as " + row.path);
    auto target = row.target;
    if (target.starts_with("WS")) target = dir_.at("ws") + target.substr(2);
    if (target.starts_with("OUT")) target = dir_.at("out") + target.substr(3);
    link("l", target);
    EXPECT_EQ(read(*r, row.path), row.outcome);
    const auto real = r->real_path(call_, path(row.path));
    EXPECT_EQ(real ? real->text() : std::string(error_info(real.error().code).name), row.real_path);
    ::unlink(dir_.at("ws/l").c_str());
  }
}

TEST_P(RootTest, C_PATH_5_refuse_refuses_any_link_in_the_path) {
  const auto r = root(LinkPolicy::refuse);
  for (const auto& row : link_cases()) {
    SCOPED_TRACE(row.target);
    link("l", row.target);
    EXPECT_EQ(read(*r, row.path), "path_escape");
    EXPECT_THAT(r->real_path(call_, path(row.path)), FailsWith(ErrorCode::path_escape));
    ::unlink(dir_.at("ws/l").c_str());
  }
  EXPECT_EQ(read(*r, "sub/deep/c.txt"), "c");
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

TEST_P(RootTest, ParentOfGivesAHandleAndTheRealPlace) {
  const auto r = root();
  link("d", "sub/deep");
  auto leaf = r->parent_of(call_, path("d/new"), Root::Parents::must_exist).value();
  EXPECT_EQ(leaf.name, "new");
  EXPECT_EQ(leaf.path.text(), "sub/deep/new");
  EXPECT_EQ(content(Fd(::openat(leaf.directory.get(), "c.txt", O_RDONLY | O_CLOEXEC))), "c");
  EXPECT_EQ(r->parent_of(call_, path("d"), Root::Parents::must_exist).value().path.text(), "d");
  EXPECT_EQ(r->parent_of_target(call_, path("d"), Root::Parents::must_exist).value().path.text(), "sub/deep");
  EXPECT_THAT(r->parent_of(call_, Path(), Root::Parents::make), FailsWith(ErrorCode::invalid_argument));
}

TEST_P(RootTest, ParentOfMakesMissingParents) {
  const auto r = root();
  EXPECT_THAT(r->parent_of(call_, path("n/m/x"), Root::Parents::must_exist), FailsWith(ErrorCode::not_found));
  EXPECT_EQ(r->parent_of(call_, path("n/m/x"), Root::Parents::make).value().path.text(), "n/m/x");
  EXPECT_TRUE(dir_.exists("ws/n/m"));
  EXPECT_FALSE(dir_.exists("ws/n/m/x"));
}

}  // namespace
}  // namespace berth::os
