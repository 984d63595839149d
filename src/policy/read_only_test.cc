#include "policy/read_only.h"

#include "policy/policy_fixture.h"

namespace berth {
namespace {

using testing::FailsWith;
using testing::IsOk;

class ReadOnlyTest : public PolicyTest {
 protected:
  ReadOnlyTest() {
    memory->file("a.txt", "one").file("dir/b.txt", "two");
    wrap(make_read_only);
    open();
  }
};

TEST_F(ReadOnlyTest, ReadsListsAndSearches) {
  EXPECT_EQ(workspace->read(call, "a.txt")->content, "one");
  EXPECT_EQ(workspace->list(call)->total, 2);
  EXPECT_EQ(workspace->search(call, ".", {.pattern = "two"})->lines.size(), 1U);
  EXPECT_EQ(workspace->info().access, Access::read_only);
  EXPECT_EQ(workspace->capabilities(),
            (Capabilities{.read_files = true, .write_files = false, .run_commands = false, .search_files = true}));
}

TEST_F(ReadOnlyTest, C_POL_1_nothing_that_changes_reaches_the_environment) {
  const std::vector<Edit> edits{{.old_text = "one", .new_text = "1"}};
  EXPECT_THAT(workspace->write(call, "a.txt", "x"), FailsWith(ErrorCode::read_only));
  EXPECT_THAT(workspace->create(call, "n", "x"), FailsWith(ErrorCode::read_only));
  EXPECT_THAT(workspace->edit(call, "a.txt", edits), FailsWith(ErrorCode::read_only));
  EXPECT_THAT(workspace->remove(call, "dir"), FailsWith(ErrorCode::read_only));
  EXPECT_THAT(workspace->make_directory(call, "d"), FailsWith(ErrorCode::read_only));
  EXPECT_THAT(workspace->run(call, {.argv = {"true"}}), FailsWith(ErrorCode::read_only));
  EXPECT_THAT(memory->calls, ::testing::IsEmpty());
}

TEST(ReadOnly, NoFaceLetsAWriteThrough) {
  auto backend = make_read_only(std::make_unique<testing::MemoryBackend>());
  EXPECT_EQ(backend->writes(), nullptr);
  EXPECT_EQ(backend->commands(), nullptr);
  EXPECT_EQ(backend->link_free().writes, nullptr);
  EXPECT_NE(backend->link_free().reads, nullptr);
}

}  // namespace
}  // namespace berth
