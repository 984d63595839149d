#include <sys/resource.h>

#include <filesystem>
#include <random>

#include "os/root_fixture.h"
#include "testing/open_files.h"

namespace berth::os {
namespace {

using testing::FailsWith;
using testing::IsOk;
namespace fs = std::filesystem;

/// What is hard about names, depth, permissions and things that are no files.
class HardRootTest : public RootTest {};

INSTANTIATE_TEST_SUITE_P(Ways, HardRootTest, ::testing::Values(Way::kernel, Way::walk), way_name);

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST_P(HardRootTest, C_PATH_8_a_fifo_never_blocks_an_open_that_says_so) {
  const auto r = root();
  ASSERT_EQ(::mkfifo(dir_.at("ws/fifo").c_str(), 0600), 0);
  EXPECT_EQ(read(*r, "fifo"), "");
  EXPECT_THAT(r->open_path(call_, path("fifo"), O_WRONLY | O_NONBLOCK), FailsWith(ErrorCode::not_regular));
  EXPECT_EQ(read(*r, "fifo/x"), "not_a_directory");
  EXPECT_EQ(parent(*r, "fifo/x", Root::Parents::make), "not_a_directory");
}

TEST_P(HardRootTest, NamesOfAnyLengthAndBytes) {
  const auto r = root();
  const std::string longest(255, 'n');
  dir_.write("ws/" + longest + "/" + longest, "long");
  dir_.write("ws/caf\xE9/\xFF\xFE\n", "bytes");
  link("to_long", longest + "/" + longest);
  link("to_bytes", "caf\xE9");
  link("too_long", longest + "n/x");
  link("too_long_leaf", longest + "n");
  EXPECT_EQ(read(*r, longest + "/" + longest), "long");
  EXPECT_EQ(read(*r, "to_long"), "long");
  EXPECT_EQ(real(*r, "to_long"), longest + "/" + longest);
  EXPECT_EQ(read(*r, "to_bytes/\xFF\xFE\n"), "bytes");
  EXPECT_EQ(real(*r, "to_bytes/\xFF\xFE\n"), "caf\xE9/\xFF\xFE\n");
  EXPECT_EQ(read(*r, "too_long"), "name_too_long");
  EXPECT_EQ(read(*r, "too_long_leaf"), "name_too_long");
  EXPECT_EQ(parent(*r, "too_long/y"), "name_too_long");
}

TEST_P(HardRootTest, DeepPaths) {
  const auto r = root();
  const auto deep = repeated("directory/", 200) + "leaf";
  EXPECT_EQ(parent(*r, deep, Root::Parents::make), deep);
  dir_.write("ws/" + deep, "deep");
  EXPECT_EQ(read(*r, deep), "deep");
  EXPECT_EQ(real(*r, deep), deep);
  EXPECT_EQ(target(*r, deep), deep);
}

TEST_P(HardRootTest, ALinkMayLeadUpFromFarBelow) {
  const auto r = root();
  const auto deep = repeated("d/", 190);
  EXPECT_EQ(parent(*r, deep + "x", Root::Parents::make), deep + "x");
  dir_.write("ws/" + repeated("d/", 5) + "side/file", "side");
  link(deep + "far", repeated("../", 185) + "side/file");
  link(deep + "top", repeated("../", 190) + "a.txt");
  link(deep + "above", repeated("../", 191) + "ws/a.txt");
  link(deep + "one", repeated("../", 100));
  EXPECT_EQ(read(*r, deep + "far"), "side");
  EXPECT_EQ(real(*r, deep + "far"), repeated("d/", 5) + "side/file");
  EXPECT_EQ(target(*r, deep + "far"), repeated("d/", 5) + "side/file");
  EXPECT_EQ(read(*r, deep + "top"), "a");
  EXPECT_EQ(read(*r, deep + "above"), "path_escape");
  EXPECT_EQ(real(*r, deep + "one"), repeated("d/", 89) + "d");
  EXPECT_EQ(target(*r, deep + "one"), repeated("d/", 89) + "d");
  EXPECT_EQ(parent(*r, deep + "one/new"), repeated("d/", 90) + "new");
}

TEST_P(HardRootTest, TheLongestPathNeedsFewDescriptors) {
  const auto r = root();
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &old), 0);
  const rlimit few{testing::open_files() + 80, old.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  const auto deep = repeated("d/", 2047) + "xx";
  ASSERT_EQ(deep.size(), 4096U);
  EXPECT_EQ(parent(*r, deep, Root::Parents::make), deep);
  EXPECT_EQ(read(*r, deep), "not_found");
  EXPECT_EQ(read(*r, deep.substr(0, 4093)), "directory");
  EXPECT_EQ(real(*r, deep), deep);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &old), 0);
}

TEST_P(HardRootTest, ADeletedRootIsGone) {
  const auto r = root();
  fs::remove_all(dir_.at("ws"));
  EXPECT_TRUE(r->gone());
  for (const char* name : {".", "a.txt", "sub/b.txt"}) EXPECT_EQ(read(*r, name), "environment_gone");
  EXPECT_EQ(real(*r, "."), "environment_gone");
  for (const auto parents : {Root::Parents::must_exist, Root::Parents::make}) {
    EXPECT_EQ(parent(*r, "x", parents), "environment_gone");
    EXPECT_EQ(parent(*r, "x/y/z", parents), "environment_gone");
    EXPECT_EQ(target(*r, "x", parents), "environment_gone");
    EXPECT_EQ(target(*r, "x/y", parents), "environment_gone");
  }
  EXPECT_EQ(real(*r, "x/y"), "environment_gone");
  // A new directory under the old name is another one.
  dir_.write("ws/a.txt", "impostor");
  EXPECT_EQ(read(*r, "a.txt"), "environment_gone");
}

TEST_P(HardRootTest, ARenamedRootGoesOn) {
  const auto r = root();
  fs::rename(dir_.at("ws"), dir_.at("moved"));
  EXPECT_EQ(read(*r, "sub/b.txt"), "b");
  EXPECT_FALSE(r->gone());
}

TEST_P(HardRootTest, ADeletedDirectoryBelowTheRootIsNotFound) {
  const auto r = root();
  fs::remove_all(dir_.at("ws/sub"));
  EXPECT_EQ(read(*r, "sub/b.txt"), "not_found");
}

TEST_P(HardRootTest, TheCallEndsAResolution) {
  const auto r = root();
  std::stop_source source;
  source.request_stop();
  const Call stopped{Deadline::never(), source.get_token(), {}};
  const Call late{Deadline::after({}), {}, {}};
  for (const auto& [call, code] : {std::pair(stopped, ErrorCode::cancelled), std::pair(late, ErrorCode::timed_out)}) {
    EXPECT_THAT(r->open_path(call, path("a.txt"), O_RDONLY), FailsWith(code));
    EXPECT_THAT(r->parent_of(call, path("a.txt"), Root::Parents::make), FailsWith(code));
    EXPECT_THAT(r->parent_of_target(call, path("a.txt"), Root::Parents::make), FailsWith(code));
    EXPECT_THAT(r->real_path(call, path("a.txt")), FailsWith(code));
  }
}

TEST_P(HardRootTest, PermissionsAreTheKernels) {
  dir_.write("ws/secret/file", "s");
  dir_.write("ws/listable/file", "l");
  dir_.write("ws/searchable/file", "x");
  dir_.write("ws/unreadable", "u");
  link("via", "secret/../a.txt");
  link("dot", "listable/.");
  fs::permissions(dir_.path(), fs::perms(0755));
  fs::permissions(dir_.at("ws"), fs::perms(0755));
  fs::permissions(dir_.at("ws/secret"), fs::perms(0700));
  fs::permissions(dir_.at("ws/listable"), fs::perms(0744));
  fs::permissions(dir_.at("ws/searchable"), fs::perms(0711));
  fs::permissions(dir_.at("ws/unreadable"), fs::perms(0600));
  const auto r = root();
  const std::vector<std::pair<std::string, std::string>> rows{
      {"secret/file", "permission_denied"},
      {"secret", "permission_denied"},
      {"listable/file", "permission_denied"},
      {"listable", "directory"},
      {"searchable/file", "x"},
      {"searchable", "permission_denied"},
      {"unreadable", "permission_denied"},
      {"via", "permission_denied"},
      {"dot", "permission_denied"},
      {"a.txt", "a"},
  };
  EXPECT_EQ(as_nobody([&] {
              int row = 1;
              for (const auto& [name, expected] : rows) {
                if (read(*r, name) != expected) return row;
                ++row;
              }
              if (parent(*r, "new/x", Root::Parents::make) != "permission_denied") return 50;
              if (parent(*r, "secret/x") != "secret/x") return 51;
              if (parent(*r, "secret/d/x", Root::Parents::make) != "permission_denied") return 52;
              if (real(*r, "secret/x") != "permission_denied") return 53;
              if (target(*r, "secret/x") != "permission_denied") return 54;
              return 0;
            }),
            0);
}

}  // namespace
}  // namespace berth::os
