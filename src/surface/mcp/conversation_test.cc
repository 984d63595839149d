#include "surface/mcp/conversation.h"

#include <gtest/gtest.h>

#include <thread>

#include "surface/mcp/fake_tools_fixture.h"

namespace berth::mcp {
namespace {

using namespace std::string_literals;

const Json kOpening = {{"protocolVersion", "2025-06-18"}, {"capabilities", Json::object()}};

Json result_of(const Json& frame) { return frame.value("result", Json()); }
int error_of(const Json& frame) { return frame.contains("error") ? frame["error"]["code"].get<int>() : 0; }

TEST(Conversation, initialize_answers_with_a_known_version_and_else_with_our_latest) {
  for (const auto& [offered, answered] : {std::pair{"2024-11-05", "2024-11-05"},
                                          {"2025-03-26", "2025-03-26"},
                                          {"2025-06-18", "2025-06-18"},
                                          {"2025-11-25", "2025-11-25"},
                                          {"2099-01-01", "2025-11-25"},
                                          {"2026-07-28", "2025-11-25"}}) {
    ServiceFixture fixture;
    fixture.legacy(1, "initialize", {{"protocolVersion", offered}});
    const auto result = result_of(fixture.frames->wait(1)[0]);
    EXPECT_EQ(result["protocolVersion"], answered);
    EXPECT_EQ(result["serverInfo"], Json({{"name", "berth"}, {"title", "Berth"}, {"version", "1.2.3"}}));
    EXPECT_TRUE(result["capabilities"].contains("tools"));
  }
}

TEST(Conversation, who_waits_until_it_is_idle_hears_of_a_cancelled_listener) {
  ServiceFixture fixture;
  fixture.modern(1, "subscriptions/listen");
  fixture.frames->wait(1);
  const auto begun = Clock::now();
  std::thread waiting([&] { EXPECT_TRUE(fixture.client->wait_until_idle(Deadline::after(std::chrono::minutes(1)))); });
  fixture.client->cancel("1");
  waiting.join();
  EXPECT_LT(Clock::now() - begun, std::chrono::seconds(30));
}

TEST(Conversation, it_is_opened_once) {
  ServiceFixture fixture;
  fixture.legacy(1, "initialize", kOpening);
  fixture.legacy(2, "initialize", kOpening);
  EXPECT_EQ(error_of(fixture.frames->wait(2)[1]), rpc::kInvalidRequest);
}

TEST(Conversation, discover_names_the_version_and_how_long_the_answer_holds) {
  ServiceFixture fixture;
  fixture.modern(1, "server/discover");
  const auto result = result_of(fixture.frames->wait(1)[0]);
  EXPECT_EQ(result["resultType"], "complete");
  EXPECT_EQ(result["supportedVersions"], Json::array({"2026-07-28"}));
  EXPECT_EQ(result["ttlMs"], 0);
  EXPECT_EQ(result["cacheScope"], "private");
  EXPECT_EQ(result["_meta"][std::string(meta::kServerInfo)]["name"], "berth");
}

TEST(Conversation, each_era_has_its_own_methods) {
  ServiceFixture fixture;
  fixture.legacy(1, "server/discover");
  fixture.legacy(2, "subscriptions/listen");
  fixture.legacy(3, "nonsense");
  fixture.modern(4, "initialize");
  fixture.modern(5, "ping");
  fixture.modern(6, "logging/setLevel");
  fixture.modern(7, "resources/subscribe");
  for (const auto& frame : fixture.frames->wait(7)) EXPECT_EQ(error_of(frame), rpc::kMethodNotFound) << frame;
}

TEST(Conversation, a_modern_request_must_say_its_version_and_capabilities) {
  ServiceFixture fixture;
  const auto& era = fixture.service.modern();
  fixture.ask(era, 1, "tools/list", Json::object());
  fixture.ask(era, 2, "tools/list", {{"_meta", {{std::string(meta::kVersion), kModernVersion}}}});
  fixture.ask(era, 3, "nonsense", {{"_meta", 3}});
  fixture.ask(
      era, 4, "nonsense",
      {{"_meta", {{std::string(meta::kVersion), "1.0"}, {std::string(meta::kClientCapabilities), Json::object()}}}});
  const auto frames = fixture.frames->wait(4);
  EXPECT_EQ(error_of(frames[0]), rpc::kInvalidParams);
  EXPECT_EQ(error_of(frames[1]), rpc::kInvalidParams);
  EXPECT_EQ(error_of(frames[2]), rpc::kInvalidParams);
  EXPECT_EQ(error_of(frames[3]), rpc::kUnsupportedVersion);
  EXPECT_EQ(frames[3]["error"]["data"], Json({{"supported", {"2026-07-28"}}, {"requested", "1.0"}}));
}

TEST(Conversation, a_tool_answers_with_text_and_structure) {
  ServiceFixture fixture;
  fixture.legacy(1, "tools/call", {{"name", "echo"}, {"arguments", {{"a", 1}}}});
  EXPECT_EQ(fixture.frames->wait(1)[0],
            Json::parse(R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"a\":1}"}],)"
                        R"("structuredContent":{"heard":{"a":1}}}})"));
}

TEST(Conversation, a_refused_call_is_a_result_that_says_so) {
  ServiceFixture fixture;
  fixture.legacy(1, "tools/call", {{"name", "echo"}, {"arguments", {{"refuse", 1}}}});
  const auto result = result_of(fixture.frames->wait(1)[0]);
  EXPECT_EQ(result["isError"], true);
  EXPECT_EQ(result["content"][0]["text"], "say something else");
  EXPECT_EQ(result["_meta"]["berth/error"]["code"], "invalid_argument");
  EXPECT_FALSE(result.contains("structuredContent"));
}

TEST(Conversation, an_unknown_tool_and_arguments_of_the_wrong_kind_are_invalid_params) {
  ServiceFixture fixture;
  fixture.legacy(1, "tools/call", {{"name", "nothing"}});
  EXPECT_EQ(error_of(fixture.frames->wait(1)[0]), rpc::kInvalidParams);
  fixture.legacy(2, "tools/call", {{"name", "echo"}, {"arguments", Json::array()}});
  EXPECT_EQ(error_of(fixture.frames->wait(2)[1]), rpc::kInvalidParams);
  fixture.legacy(3, "tools/call", Json::object());
  EXPECT_EQ(error_of(fixture.frames->wait(3)[2]), rpc::kInvalidParams);
}

TEST(Conversation, a_fault_inside_a_tool_is_an_internal_error_that_tells_nothing) {
  ServiceFixture fixture;
  fixture.legacy(1, "tools/call", {{"name", "echo"}, {"arguments", {{"fault", 1}}}});
  const auto frame = fixture.frames->wait(1)[0];
  EXPECT_EQ(error_of(frame), rpc::kInternalError);
  EXPECT_EQ(frame.dump().find("secret"), std::string::npos);
}

TEST(Conversation, progress_needs_a_token_and_only_grows) {
  ServiceFixture fixture;
  fixture.legacy(1, "tools/call", {{"name", "echo"}});
  EXPECT_EQ(fixture.frames->wait(1).size(), 1U);
  fixture.legacy(2, "tools/call", {{"name", "echo"}, {"_meta", {{"progressToken", "t"}}}});
  const auto frames = fixture.frames->wait(3);
  ASSERT_EQ(frames.size(), 3U);
  EXPECT_EQ(frames[1]["method"], "notifications/progress");
  EXPECT_EQ(frames[1]["params"], Json({{"progressToken", "t"}, {"progress", 1.0}, {"total", 3.0}, {"message", "one"}}));
  EXPECT_EQ(frames[2]["id"], 2);
  fixture.legacy(3, "tools/call", {{"name", "echo"}, {"_meta", {{"progressToken", 1.5}}}});
  EXPECT_EQ(error_of(fixture.frames->wait(4)[3]), rpc::kInvalidParams);
}

TEST(Conversation, a_cancelled_call_is_stopped_and_gets_no_answer) {
  ServiceFixture fixture;
  fixture.legacy("long", "tools/call", {{"name", "endless"}});
  fixture.endless.wait_begun(1);
  fixture.client->notification({"notifications/cancelled", {{"requestId", "other"}}});
  fixture.client->notification({"notifications/cancelled", {{"requestId", "long"}}});
  EXPECT_EQ(fixture.frames->wait_abandoned(1), 1);
  EXPECT_EQ(fixture.endless.stopped, 1);
  fixture.client->wait_until_idle(Deadline::never());
  fixture.legacy("long", "ping");
  const auto frames = fixture.frames->wait(1);
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0]["result"], Json::object());
}

TEST(Conversation, two_requests_at_work_do_not_share_an_id) {
  ServiceFixture fixture;
  fixture.legacy(1, "tools/call", {{"name", "endless"}});
  fixture.endless.wait_begun(1);
  fixture.legacy(1, "ping");
  EXPECT_EQ(error_of(fixture.frames->wait(1)[0]), rpc::kInvalidRequest);
  fixture.legacy("1", "ping");
  EXPECT_EQ(fixture.frames->wait(2)[1]["result"], Json::object());
}

TEST(Conversation, long_calls_do_not_hold_up_others) {
  ServiceFixture fixture;
  for (int i = 0; i < 20; ++i) fixture.legacy(i, "tools/call", {{"name", "endless"}});
  fixture.endless.wait_begun(20);
  fixture.legacy("quick", "tools/call", {{"name", "echo"}});
  EXPECT_EQ(fixture.frames->wait(1)[0]["id"], "quick");
}

TEST(Conversation, what_is_too_much_is_refused_at_once) {
  auto options = ServiceFixture::quick_options();
  options.workers = {.threads = 2, .waiting = 3};
  ServiceFixture fixture(options);
  fixture.legacy(1, "tools/call", {{"name", "endless"}});
  fixture.legacy(2, "tools/call", {{"name", "endless"}});
  fixture.endless.wait_begun(2);
  for (int i = 3; i < 7; ++i) fixture.legacy(i, "tools/call", {{"name", "endless"}});
  const auto frames = fixture.frames->wait(1);
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(error_of(frames[0]), rpc::kOverloaded);
  EXPECT_EQ(frames[0]["id"], 6);
}

TEST(Conversation, the_end_stops_everything_and_answers_nothing) {
  ServiceFixture fixture;
  fixture.legacy(1, "tools/call", {{"name", "endless"}});
  fixture.endless.wait_begun(1);
  fixture.client->close();
  EXPECT_TRUE(fixture.client->wait_until_idle(Deadline::after(std::chrono::seconds(10))));
  EXPECT_EQ(fixture.frames->wait_abandoned(1), 1);
  fixture.legacy(2, "ping");
  EXPECT_EQ(error_of(fixture.frames->wait(1)[0]), rpc::kInvalidRequest);
}

TEST(Conversation, lists_are_cut_into_pages_with_opaque_cursors) {
  auto options = ServiceFixture::quick_options();
  options.page_entries = 1;
  ServiceFixture fixture(options);
  fixture.modern(1, "tools/list");
  auto first = result_of(fixture.frames->wait(1)[0]);
  EXPECT_EQ(first["tools"].size(), 1U);
  EXPECT_EQ(first["tools"][0]["name"], "echo");
  fixture.modern(2, "tools/list", {{"cursor", first["nextCursor"]}});
  auto second = result_of(fixture.frames->wait(2)[1]);
  EXPECT_EQ(second["tools"][0]["name"], "endless");
  EXPECT_FALSE(second.contains("nextCursor"));
  fixture.modern(3, "tools/list", {{"cursor", "nonsense"}});
  fixture.modern(4, "tools/list", {{"cursor", 3}});
  fixture.modern(5, "prompts/list", {{"cursor", first["nextCursor"]}});
  const auto frames = fixture.frames->wait(5);
  for (std::size_t i = 2; i < 5; ++i) EXPECT_EQ(error_of(frames[i]), rpc::kInvalidParams) << frames[i];
}

TEST(Conversation, prompts_and_templates_can_be_listed) {
  ServiceFixture fixture;
  fixture.legacy(1, "prompts/list");
  fixture.legacy(2, "resources/templates/list");
  const auto frames = fixture.frames->wait(2);
  EXPECT_EQ(result_of(frames[0])["prompts"], Json::array());
  EXPECT_EQ(result_of(frames[1])["resourceTemplates"][0]["uriTemplate"], "workspace:///{+path}");
}

TEST(Conversation, log_messages_come_once_a_level_is_set) {
  ServiceFixture fixture;
  fixture.legacy(1, "tools/call", {{"name", "echo"}});
  EXPECT_EQ(fixture.frames->wait(1).size(), 1U);
  fixture.legacy(2, "logging/setLevel", {{"level", "loud"}});
  EXPECT_EQ(error_of(fixture.frames->wait(2)[1]), rpc::kInvalidParams);
  fixture.legacy(3, "logging/setLevel", {{"level", "debug"}});
  fixture.frames->wait(3);
  fixture.legacy(4, "tools/call", {{"name", "echo"}});
  const auto frames = fixture.frames->wait(5);
  ASSERT_EQ(frames.size(), 5U);
  EXPECT_EQ(frames[3]["method"], "notifications/message");
  EXPECT_EQ(frames[3]["params"]["level"], "debug");
  EXPECT_EQ(frames[3]["params"]["data"]["tool"], "echo");
}

TEST(Conversation, a_modern_request_sets_its_own_level) {
  ServiceFixture fixture;
  fixture.modern(1, "tools/call", {{"name", "echo"}, {"_meta", {{std::string(meta::kLogLevel), "debug"}}}});
  const auto frames = fixture.frames->wait(2);
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0]["method"], "notifications/message");
  fixture.modern(2, "tools/call", {{"name", "echo"}});
  EXPECT_EQ(fixture.frames->wait(3).size(), 3U);
  fixture.modern(3, "tools/call", {{"name", "echo"}, {"_meta", {{std::string(meta::kLogLevel), "loud"}}}});
  EXPECT_EQ(error_of(fixture.frames->wait(4)[3]), rpc::kInvalidParams);
}

}  // namespace
}  // namespace berth::mcp
