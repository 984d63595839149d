#include <gmock/gmock.h>

#include "tests/tools/tools_fixture.h"

namespace berth::tools {
namespace {

using ::testing::HasSubstr;

class JobTools : public ToolsTest {
 protected:
  std::string start(const Json& arguments) {
    const auto result = call_in(session, "start_command", arguments);
    EXPECT_EQ(result.outcome, Outcome::success) << result.text;
    return result.structured["id"];
  }
  ToolResult check(const Json& arguments) { return call_in(session, "check_command", arguments); }
};

TEST_F(JobTools, C_RUN_8_a_command_is_started_checked_fed_and_stopped) {
  const auto id = start({{"command", "read line; echo \"got $line\"; echo oops >&2; sleep 1000"}, {"name", "greeter"}});
  EXPECT_THAT(check({{"id", id}}).text, HasSubstr("(no output)\n[running for "));
  const auto sent = call_in(session, "send_input", {{"id", id}, {"input", "this\n"}});
  EXPECT_EQ(sent.text, "Sent 5 bytes.");
  EXPECT_EQ(sent.structured, (Json{{"id", id}, {"accepted_bytes", 5}, {"open", true}}));
  auto seen = check({{"id", id}, {"wait", 20}, {"stdout_offset", 0}});
  EXPECT_EQ(
      seen.structured["stdout"],
      (Json{{"content", "got this\n"}, {"offset", 0}, {"next_offset", 9}, {"total_bytes", 9}, {"dropped_bytes", 0}}));
  EXPECT_EQ(seen.structured["command"]["state"], "running");
  // The other stream follows; it is looked for by its own offset.
  while (seen.structured["stderr"]["total_bytes"] != 5) seen = check({{"id", id}, {"stderr_offset", 0}});
  EXPECT_EQ(seen.structured["stderr"]["content"], "oops\n");
  const auto stopped = call_in(session, "stop_command", {{"id", id}});
  EXPECT_EQ(stopped.outcome, Outcome::success);
  EXPECT_THAT(stopped.text, HasSubstr(id + " (greeter): ended by signal 15"));
  EXPECT_EQ(stopped.structured["ended_by"], "stop");
  EXPECT_EQ(stopped.structured["survivors"], 0);
  const auto after = check({{"id", id}, {"wait", 20}});
  EXPECT_THAT(after.text, ::testing::StartsWith("got this\n"));
  EXPECT_THAT(after.text, HasSubstr("\n[ended by signal 15"));
  EXPECT_EQ(call_in(session, "send_input", {{"id", id}, {"input", "x"}}).text,
            "Its input is closed: 0 of 1 byte went in. See with check_command how it is.");
}

TEST_F(JobTools, C_RUN_8_a_check_waits_for_the_end_and_tells_it) {
  const auto id = start({{"command", "echo done; exit 3"}});
  const auto result = check({{"id", id}, {"wait", 20}});
  EXPECT_THAT(result.text, ::testing::StartsWith("done\n[exit code 3 after "));
  EXPECT_EQ(result.structured["command"]["exit_code"], 3);
  EXPECT_EQ(result.structured["command"]["script"], "echo done; exit 3");
  EXPECT_EQ(check({{"id", id}, {"stdout_offset", 6}}).structured["error"]["code"], "offset_out_of_range");
}

TEST_F(JobTools, C_RUN_8_a_long_output_shows_its_end_and_is_paged_between_characters) {
  const auto id = start({{"command", "i=0; while [ $i -lt 20000 ]; do echo 'äää'; i=$((i+1)); done"}});
  const auto tail = check({{"id", id}, {"wait", 60}}).structured["stdout"];
  EXPECT_EQ(tail["total_bytes"], 140'000);
  EXPECT_EQ(tail["next_offset"], 140'000);
  EXPECT_FALSE(tail.contains("content_b64"));
  EXPECT_EQ(tail["offset"].get<std::int64_t>() + static_cast<std::int64_t>(tail["content"].get<std::string>().size()),
            140'000);
  std::string all;
  for (std::int64_t offset = 0; offset < 140'000;) {
    const auto page = check({{"id", id}, {"stdout_offset", offset}}).structured["stdout"];
    ASSERT_FALSE(page.contains("content_b64")) << offset;
    all += page["content"].get<std::string>();
    ASSERT_GT(page["next_offset"].get<std::int64_t>(), offset);
    offset = page["next_offset"];
  }
  EXPECT_EQ(all.size(), 140'000U);
  EXPECT_THAT(check({{"id", id}, {"stdout_offset", 0}}).text, HasSubstr(" more; go on with stdout_offset="));
}

TEST_F(JobTools, C_RUN_8_a_check_without_an_id_lists_them) {
  EXPECT_EQ(text("check_command"), "No command was started in the background.");
  const auto id = start({{"command", "sleep 1000"}});
  EXPECT_THAT(text("check_command"), HasSubstr(id + ": running for "));
  EXPECT_EQ(check({}).structured["commands"].size(), 1U);
}

TEST_F(JobTools, refusals_say_what_to_do) {
  EXPECT_EQ(refused("check_command", R"({"id": "nothing"})"), "not_found");
  EXPECT_EQ(refused("stop_command", R"({"id": "nothing"})"), "not_found");
  EXPECT_EQ(refused("send_input", R"({"id": "nothing"})"), "not_found");
  EXPECT_EQ(refused("start_command", R"({"command": ""})"), "invalid_argument");
  EXPECT_EQ(refused("start_command", R"({"command": "true", "timeout": 0})"), "invalid_argument");
  EXPECT_EQ(refused("start_command", R"({"command": "true", "cwd": "missing"})"), "not_found");
  EXPECT_EQ(refused("stop_command", "{}"), "invalid_argument");
}

TEST_F(JobTools, are_not_offered_where_there_are_no_jobs) {
  auto without = workspace.capabilities();
  without.jobs = false;
  const auto some = Catalogue::make({}, without);
  ASSERT_TRUE(some.has_value());
  for (const char* name : {"start_command", "check_command", "send_input", "stop_command"}) {
    EXPECT_EQ((*some)->find(name), nullptr) << name;
    EXPECT_NE(catalogue->find(name), nullptr) << name;
  }
}

}  // namespace
}  // namespace berth::tools
