#include <sys/stat.h>

#include "git_fixture.h"
#include "workspace/git/git_entries.h"

namespace berth::git {
namespace {

using Mode = GitTreeEntry::Mode;
using testing::FailsWith;
using testing::IsOk;

class Entries : public GitTest {};

TEST_F(Entries, C_GIT_4_files_and_links_with_git_modes_sorted_by_the_whole_path) {
  dir.write("b/x", "1");
  dir.write("b/y", "1");
  dir.write("b.txt", "1");
  dir.write("run", "1");
  dir.write("name\nwith \xff", "1");
  dir.write(".hidden", "1");
  sh("chmod 755 run && ln -s ../nowhere dangling && ln -s b to-directory");
  dir.make_directory("empty/inner");
  const auto space = workspace();
  const std::vector<GitTreeEntry> all = {{path_of(".hidden"), Mode::regular, {}},
                                         {path_of("b.txt"), Mode::regular, {}},
                                         {path_of("b/x"), Mode::regular, {}},
                                         {path_of("b/y"), Mode::regular, {}},
                                         {path_of("dangling"), Mode::link, "../nowhere"},
                                         {path_of("name\nwith \xff"), Mode::regular, {}},
                                         {path_of("run"), Mode::executable, {}},
                                         {path_of("to-directory"), Mode::link, "b"}};
  EXPECT_EQ(*list_git_entries(call, *space, 100), (GitEntryPage{.entries = all, .total = 8}));
  for (std::size_t limit = 1; limit <= all.size(); ++limit) {
    const std::vector<GitTreeEntry> first(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(limit));
    EXPECT_EQ(*list_git_entries(call, *space, static_cast<std::int64_t>(limit)),
              (GitEntryPage{.entries = first, .total = 8}));
  }
}

TEST_F(Entries, C_GIT_4_a_fifo_is_refused_with_its_path) {
  dir.write("d/a", "1");
  ASSERT_EQ(::mkfifo(dir.at("d/pipe").c_str(), 0600), 0);
  const auto space = workspace();
  const auto listed = list_git_entries(call, *space, 10);
  ASSERT_THAT(listed, FailsWith(ErrorCode::not_regular));
  EXPECT_EQ(listed.error().path, "d/pipe");
}

TEST_F(Entries, C_GIT_4_a_limit_must_be_greater_than_zero) {
  const auto space = workspace();
  EXPECT_THAT(list_git_entries(call, *space, 0), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(list_git_entries(call, *space, 1), IsOk());
}

}  // namespace
}  // namespace berth::git
