#include "policy/limits.h"

#include "policy/policy_fixture.h"

namespace berth {
namespace {

using testing::FailsWith;
using testing::IsOk;
using namespace std::chrono_literals;

const LimitPolicy kPolicy{.max_read_bytes = 4,
                          .max_write_bytes = 8,
                          .max_list_entries = 3,
                          .max_search_results = 2,
                          .max_search_bytes = 100,
                          .max_command_time = 5000ms,
                          .max_output_bytes = 1000};

class LimitsTest : public PolicyTest {
 protected:
  LimitsTest() {
    memory->file("a", "0123456789").file("b", "xx").file("dir/c", "xx").file("dir/d", "xx");
    wrap(make_limited, kPolicy);
    open();
  }
};

TEST_F(LimitsTest, ALongerReadIsATruncatedPage) {
  const auto page = workspace->read(call, "a");
  EXPECT_EQ(page->content, "0123");
  EXPECT_EQ(page->next_offset, 4);
  EXPECT_EQ(workspace->read(call, "a", {.max_bytes = 2})->content, "01");
  EXPECT_EQ(workspace->read(call, "a", {.offset = 8})->content, "89");
}

TEST_F(LimitsTest, AnEditOfAFileThatCannotBeReadAtOnceIsTooLarge) {
  const std::vector<Edit> edits{{.old_text = "0", .new_text = "x"}};
  const auto edited = workspace->edit(call, "a", edits);
  ASSERT_THAT(edited, FailsWith(ErrorCode::too_large));
  EXPECT_EQ(*edited.error().field("limit"), ErrorField::Value("max_read_bytes"));
  EXPECT_EQ(memory->content("a"), "0123456789");
}

TEST_F(LimitsTest, ALongerWriteIsTooLargeAndNamesTheLimit) {
  const auto written = workspace->write(call, "n", "123456789");
  ASSERT_THAT(written, FailsWith(ErrorCode::too_large));
  EXPECT_EQ(*written.error().field("limit"), ErrorField::Value("max_write_bytes"));
  EXPECT_EQ(*written.error().field("max"), ErrorField::Value(std::int64_t{8}));
  EXPECT_EQ(*written.error().field("bytes"), ErrorField::Value(std::int64_t{9}));
  EXPECT_EQ(written.error().path, "n");
  EXPECT_THAT(workspace->write(call, "n", "12345678"), IsOk());
}

TEST_F(LimitsTest, ListingsArePagesAndALongerDirectoryIsTooLarge) {
  const auto page = workspace->list(call);
  EXPECT_EQ(page->paths.size(), 3U);
  EXPECT_TRUE(page->truncated);
  EXPECT_EQ(workspace->list(call, "**/*", {.limit = 1})->paths.size(), 1U);
  EXPECT_THAT(workspace->list_directory(call, "."), IsOk());
  memory->file("e", "");
  const auto listing = workspace->list_directory(call, ".");
  ASSERT_THAT(listing, FailsWith(ErrorCode::too_large));
  EXPECT_EQ(*listing.error().field("limit"), ErrorField::Value("max_list_entries"));
}

TEST_F(LimitsTest, SearchesArePages) {
  EXPECT_EQ(workspace->search(call, ".", {.pattern = "xx"})->lines.size(), 2U);
  EXPECT_EQ(workspace->search(call, ".", {.pattern = "xx"})->next_offset, 2);
}

/// Keeps the last command as it arrived.
class SpecKeeper final : public Backend, public CommandRunner {
 public:
  const BackendInfo& info() const noexcept override { return info_; }
  std::optional<WorkspaceRef> ref() const override { return std::nullopt; }
  Result<void> ensure(const Call&) override { return {}; }
  CommandRunner* commands() noexcept override { return this; }
  Result<CommandOutcome> run(const Call&, const CommandSpec& spec, OutputSink*) override {
    last = spec;
    return CommandOutcome{};
  }

  CommandSpec last;

 private:
  BackendInfo info_;
};

TEST(Limits, CommandsAreBoundedInTimeAndOutput) {
  auto owned = std::make_unique<SpecKeeper>();
  auto& keeper = *owned;
  Workspace workspace(std::move(make_limited(std::move(owned), kPolicy)).value());
  const Call call;
  ASSERT_THAT(workspace.run(call, {.argv = {"x"}}), IsOk());
  EXPECT_EQ(keeper.last.timeout, 5000ms);
  EXPECT_EQ(keeper.last.output.limit, 1000);
  EXPECT_EQ(keeper.last.output.kept, 1000);
  ASSERT_THAT(workspace.run(call, {.argv = {"x"}, .timeout = 10ms, .output = {.limit = 7, .kept = 3}}), IsOk());
  EXPECT_EQ(keeper.last.timeout, 10ms);
  EXPECT_EQ(keeper.last.output.limit, 7);
  EXPECT_EQ(keeper.last.output.kept, 3);
  ASSERT_THAT(workspace.run(call, {.argv = {"x"},
                                   .timeout = 10h,
                                   .output = {.kind = OutputPolicy::Kind::keep, .head = 600, .tail = 600}}),
              IsOk());
  EXPECT_EQ(keeper.last.timeout, 5000ms);
  EXPECT_EQ(keeper.last.output.head + keeper.last.output.tail, 1000);
}

TEST(Limits, ALimitIsGreaterThanNothing) {
  EXPECT_THAT(make_limited(std::make_unique<testing::MemoryBackend>(), {.max_read_bytes = 0}),
              FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(make_limited(std::make_unique<testing::MemoryBackend>(), {.max_command_time = 0ms}),
              FailsWith(ErrorCode::invalid_argument));
}

TEST(Limits, WithoutLimitsNothingChanges) {
  auto owned = std::make_unique<testing::MemoryBackend>();
  owned->file("a", "0123456789");
  Workspace workspace(std::move(make_limited(std::move(owned), {})).value());
  EXPECT_EQ(workspace.read({}, "a")->content, "0123456789");
}

}  // namespace
}  // namespace berth
