#include <fmt/format.h>
#include <gmock/gmock.h>

#include <stop_token>
#include <thread>

#include "tests/tools/tools_fixture.h"

namespace berth::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class HarnessJobs : public ToolsTest {
 protected:
  void SetUp() override {
    catalogue = std::move(Catalogue::make({.profile = Profile::harness,
                                           .only = {"start_command", "check_command", "stop_command", "shell"}},
                                          workspace.capabilities()))
                    .value();
  }

  std::string start(const std::string& command) {
    const auto result = call_in(session, "start_command", {{"command", command}});
    EXPECT_EQ(result.outcome, Outcome::success) << result.text;
    return result.structured["id"];
  }
  ToolResult check(const std::string& id) { return call_in(session, "check_command", {{"command_id", id}}); }
  /// Look until the command has ended.
  ToolResult end_of(const std::string& id) {
    EXPECT_THAT(workspace.wait_job({}, {id}, std::chrono::seconds(60)), testing::IsOk());
    return check(id);
  }
};

TEST_F(HarnessJobs, a_command_that_ended_tells_both_streams_and_its_exit_code) {
  EXPECT_EQ(end_of(start("echo out; echo err >&2; exit 3")).text,
            "[stdout]\nout\n\n[stderr]\nerr\n\n[status: finished]\n[exit code: 3]");
  EXPECT_EQ(end_of(start("true")).text, "(no output yet)\n[status: finished]\n[exit code: 0]");
}

TEST_F(HarnessJobs, a_command_in_the_background_has_no_input) {
  EXPECT_EQ(end_of(start("cat")).text, "(no output yet)\n[status: finished]\n[exit code: 0]");
}

TEST_F(HarnessJobs, a_start_shows_the_command_as_python_does) {
  const auto shown = [&](const std::string& command) {
    const auto text = call_in(session, "start_command", {{"command", command}}).text;
    return text.substr(0, text.find("\nID: "));
  };
  EXPECT_EQ(shown("echo a"), "Started background command: 'echo a'");
  EXPECT_EQ(shown("echo 'a'"), "Started background command: \"echo 'a'\"");
  EXPECT_EQ(shown("echo 'a' \"b\"\n"), R"(Started background command: 'echo \'a\' "b"\n')");
}

TEST_F(HarnessJobs, a_long_output_keeps_its_end) {
  const auto text = end_of(start("seq 1 40000")).text;
  EXPECT_THAT(text, StartsWith("[... output truncated, showing last 49"));
  EXPECT_THAT(text, ::testing::EndsWith("39999\n40000\n\n[status: finished]\n[exit code: 0]"));
}

TEST_F(HarnessJobs, shell_in_the_foreground_waits_for_the_end) {
  const auto result = call_in(session, "shell", {{"command", "echo out; echo err >&2; exit 3"}});
  EXPECT_THAT(result.text, StartsWith("out\n[stderr]\nerr\nPID: "));
  EXPECT_THAT(result.text, HasSubstr("\"exit_code\": 3}"));
  EXPECT_EQ(result.structured["command"]["exit_code"], 3);
}

TEST_F(HarnessJobs, shell_lets_a_command_run_on_after_its_timeout) {
  const auto result = call_in(session, "shell", {{"command", "exec sleep 1000"}, {"timeout", 0.05}});
  EXPECT_THAT(result.text, HasSubstr("\"exit_code\": null}"));
  const std::string id = result.structured["command"]["id"];
  EXPECT_THAT(check(id).text, HasSubstr("[status: running]"));
  EXPECT_THAT(call_in(session, "stop_command", {{"command_id", id}}).text, HasSubstr("[stopped]\n[exit code: 143]"));
}

TEST_F(HarnessJobs, shell_in_the_background_answers_at_once) {
  const auto result = call_in(session, "shell", {{"command", "exec sleep 1000"}, {"mode", "background"}});
  EXPECT_EQ(result.structured["command"]["state"], "running");
}

TEST_F(HarnessJobs, a_cancelled_shell_ends_its_command) {
  std::stop_source stop;
  Call cancelled;
  cancelled.stop = stop.get_token();
  ToolResult result;
  {
    const std::jthread caller([&] {
      result = catalogue->find("shell")->call(cancelled, session, {{"command", "exec sleep 1000"}}, nullptr);
    });
    while (workspace.list_jobs({})->empty()) std::this_thread::yield();
    stop.request_stop();
  }
  EXPECT_EQ(result.structured["error"]["code"], "cancelled");
  const auto jobs = workspace.list_jobs({});
  ASSERT_THAT(jobs, testing::IsOk());
  for (const auto& job : *jobs) EXPECT_TRUE(job.has_ended());
}

TEST_F(HarnessJobs, shell_shows_the_end_of_a_long_output_from_the_start_of_a_line) {
  const auto result = call_in(session, "shell", {{"command", "seq 1 40000"}});
  EXPECT_THAT(result.text, ::testing::MatchesRegex("\\[\\.\\.\\. [0-9]+ bytes before\\]\n[0-9]+\n(.|\n)*"));
  EXPECT_THAT(result.text, HasSubstr("\n40000\nPID: "));
}

}  // namespace
}  // namespace berth::tools
