#include <thread>

#include <gmock/gmock.h>

#include "tests/tools/tools_fixture.h"
#include "tools/execute.h"

namespace berth::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using Running = ToolsTest;

TEST_F(Running, a_long_output_keeps_both_ends_counts_truthfully_and_cuts_no_character) {
  const auto ran = execute({}, session, {.command = "for i in $(seq 20000); do printf '€uro%s\\n' $i; done"}, nullptr);
  ASSERT_THAT(ran, testing::IsOk());
  const auto& out = ran->outcome.out;
  std::string whole;
  for (int i = 1; i <= 20000; ++i) whole += "€uro" + std::to_string(i) + "\n";
  EXPECT_EQ(out.total_bytes, static_cast<std::int64_t>(whole.size()));
  EXPECT_GT(out.dropped_bytes(), 0);
  EXPECT_TRUE(is_utf8(out.head));
  EXPECT_TRUE(is_utf8(out.tail));
  EXPECT_TRUE(whole.starts_with(out.head));
  EXPECT_TRUE(whole.ends_with(out.tail));
  EXPECT_THAT(render(*ran), HasSubstr("... (" + std::to_string(out.dropped_bytes()) + " bytes left out) ..."));
}

TEST_F(Running, a_timeout_ends_the_command_and_keeps_what_it_printed) {
  const auto result = call("execute", R"({"command": "echo before; sleep 60; echo after", "timeout": 0.3})");
  EXPECT_EQ(result.outcome, Outcome::success);
  EXPECT_EQ(result.structured["outcome"], "timed_out");
  EXPECT_EQ(result.structured["survivors"], 0);
  EXPECT_THAT(result.text, HasSubstr("before\n[timed out after 0."));
  EXPECT_THAT(result.text, Not(HasSubstr("after\n")));
}

class CountingSink final : public ProgressSink {
 public:
  explicit CountingSink(std::stop_source* stop = nullptr) : stop_(stop) {}

  void progress(double done, double, std::string_view message) override {
    EXPECT_GT(done, last_);
    last_ = done;
    messages.emplace_back(message);
    if (stop_ != nullptr) stop_->request_stop();
  }

  std::vector<std::string> messages;

 private:
  std::stop_source* stop_;
  double last_ = 0;
};

TEST_F(Running, progress_tells_of_output_while_the_command_runs) {
  CountingSink sink;
  catalogue->find("execute")->call({}, session, {{"command", "printf 'a\\nlast\\n'"}}, &sink);
  EXPECT_EQ(sink.messages, std::vector<std::string>{"last"});
}

TEST_F(Running, a_stopped_call_ends_its_command) {
  std::stop_source stop;
  CountingSink sink(&stop);
  Call stopped;
  stopped.stop = stop.get_token();
  const auto result =
      catalogue->find("execute")->call(stopped, session, {{"command", "echo started; sleep 60"}}, &sink);
  EXPECT_THAT(result.text, HasSubstr("started"));
  EXPECT_EQ(result.structured.value("outcome", ""), "cancelled") << result.text;
  EXPECT_EQ(result.structured.value("survivors", -1), 0);
}

TEST_F(Running, nothing_carries_over_to_the_next_command) {
  dir.make_directory("sub");
  text("execute", R"({"command": "cd sub; export A=1"})");
  EXPECT_EQ(text("execute", R"({"command": "test -d sub && echo [$A]"})"), "[]\n[exit code 0]");
}

}  // namespace
}  // namespace berth::tools
