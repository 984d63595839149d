#include <signal.h>
#include <unistd.h>

#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/mcp/http_client.h"
#include "tests/mcp/server_process.h"

namespace berth::testing {
namespace {

class McpHttp : public ::testing::Test {
 protected:
  McpHttp() {
    dir_.write("a.txt", "alpha\n");
    start({"mcp", "--http", "0", "--conformance-fixtures"});
  }

  void start(std::vector<std::string> words) {
    server_.emplace(dir_.path(), std::move(words));
    const auto line = server_->next_error_line();
    const auto colon = line.rfind(':');
    port_ = static_cast<std::uint16_t>(std::stoi(line.substr(colon + 1)));
  }

  HttpAnswer post(const Headers& headers, const std::string& body) const {
    return HttpCall(port_, "POST", headers, body).answer();
  }

  std::string open(const Json& capabilities = Json::object()) const {
    const auto answer = post(legacy_headers(), legacy_body(0, "initialize",
                                                           {{"protocolVersion", "2025-11-25"},
                                                            {"capabilities", capabilities},
                                                            {"clientInfo", {{"name", "t"}, {"version", "1"}}}}));
    EXPECT_EQ(answer.status, 200);
    const auto session = answer.header("mcp-session-id");
    EXPECT_EQ(post(legacy_headers(session), R"({"jsonrpc":"2.0","method":"notifications/initialized"})").status, 202);
    return session;
  }

  std::string mark() const { return "86398." + std::to_string(::getpid()) + std::to_string(port_); }
  Json endless() const {
    return {{"name", "execute"}, {"arguments", {{"command", "setsid sleep " + mark() + " & wait"}}}};
  }

  TempDir dir_;
  std::optional<McpServer> server_;
  std::uint16_t port_ = 0;
};

TEST_F(McpHttp, a_session_lives_from_initialize_to_delete) {
  const auto session = open();
  ASSERT_FALSE(session.empty());
  const auto listed = post(legacy_headers(session), legacy_body(1, "tools/list"));
  EXPECT_EQ(listed.status, 200);
  EXPECT_EQ(listed.header("content-type"), "application/json");
  EXPECT_GT(listed.json()["result"]["tools"].size(), 5U);
  EXPECT_EQ(post(legacy_headers(session), legacy_body(2, "nonsense")).json()["error"]["code"], -32601);
  EXPECT_EQ(post(legacy_headers(), legacy_body(3, "tools/list")).status, 400);
  EXPECT_EQ(post(legacy_headers("unknown"), legacy_body(3, "tools/list")).status, 404);
  EXPECT_EQ(HttpCall(port_, "DELETE", legacy_headers(session)).answer().status, 204);
  EXPECT_EQ(post(legacy_headers(session), legacy_body(4, "tools/list")).status, 404);
  EXPECT_EQ(HttpCall(port_, "DELETE", legacy_headers(session)).answer().status, 404);
}

TEST_F(McpHttp, a_modern_request_needs_no_session) {
  const auto answer = post(modern_headers("tools/call", "read_file"),
                           modern_body(1, "tools/call", {{"name", "read_file"}, {"arguments", {{"path", "a.txt"}}}}));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.json()["result"]["structuredContent"]["content"], "alpha\n");
  EXPECT_EQ(answer.json()["result"]["resultType"], "complete");
}

TEST_F(McpHttp, C_POL_3_what_rules_ask_about_is_asked_on_the_stream_of_the_call) {
  start({"--rules", "preset:default", "mcp", "--http", "0"});
  const auto session = open({{"elicitation", Json::object()}});
  HttpCall call(
      port_, "POST", legacy_headers(session),
      legacy_body(1, "tools/call", {{"name", "write_file"}, {"arguments", {{"path", "b.txt"}, {"content", "x"}}}}));
  const auto message = [&] {
    auto event = call.event();
    while (event && event->data.empty()) event = call.event();
    return event ? Json::parse(event->data) : Json();
  };
  const auto question = message();
  EXPECT_EQ(question["method"], "elicitation/create") << question;
  EXPECT_FALSE(dir_.exists("b.txt"));
  const Json answer = {{"jsonrpc", "2.0"}, {"id", question["id"]}, {"result", {{"action", "accept"}}}};
  // An answer in another session is none.
  EXPECT_EQ(post(legacy_headers(open()), answer.dump()).status, 202);
  EXPECT_FALSE(dir_.exists("b.txt"));
  EXPECT_EQ(post(legacy_headers(session), answer.dump()).status, 202);
  EXPECT_FALSE(message()["result"].contains("isError"));
  EXPECT_EQ(dir_.read("b.txt"), "x");
}

TEST_F(McpHttp, C_POL_3_in_the_newer_era_the_call_is_made_again_with_the_answer) {
  start({"--rules", "preset:default", "mcp", "--http", "0"});
  Json params = {{"name", "write_file"}, {"arguments", {{"path", "b.txt"}, {"content", "x"}}}};
  params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = {{"elicitation", Json::object()}};
  const auto headers = modern_headers("tools/call", "write_file");
  const auto asked = post(headers, modern_body(1, "tools/call", params)).json()["result"];
  EXPECT_EQ(asked["resultType"], "input_required") << asked;
  EXPECT_FALSE(dir_.exists("b.txt"));
  params["requestState"] = asked["requestState"];
  params["inputResponses"]["approval"] = {{"action", "accept"}};
  const auto done = post(headers, modern_body(2, "tools/call", params)).json()["result"];
  EXPECT_EQ(done["resultType"], "complete") << done;
  EXPECT_EQ(dir_.read("b.txt"), "x");
}

TEST_F(McpHttp, in_the_newer_era_what_one_client_read_makes_no_edit_of_another_pass) {
  const auto ask = [&](const Headers& who, const Json& client, const std::string& tool, const Json& arguments) {
    auto headers = modern_headers("tools/call", tool);
    headers.insert(headers.end(), who.begin(), who.end());
    Json params = {{"name", tool}, {"arguments", arguments}};
    if (!client.is_null()) params["_meta"]["io.modelcontextprotocol/clientInfo"] = client;
    return post(headers, modern_body(1, "tools/call", params)).json()["result"];
  };
  const Json read = {{"path", "a.txt"}};
  const Json write = {{"path", "a.txt"}, {"content", "mine\n"}};
  const auto expect_kept_apart = [&](const Headers& one, const Json& one_info, const Headers& other,
                                     const Json& other_info) {
    dir_.write("a.txt", "alpha\n");
    ask(one, one_info, "read_file", read);
    dir_.write("a.txt", "beta\n");
    ask(other, other_info, "read_file", read);
    const auto refused = ask(one, one_info, "write_file", write);
    EXPECT_EQ(refused["_meta"]["berth/error"].value("code", ""), "revision_mismatch") << refused;
    EXPECT_EQ(dir_.read("a.txt"), "beta\n");
    EXPECT_FALSE(ask(other, other_info, "write_file", write).contains("isError"));
  };
  const Json info = {{"name", "a"}, {"version", "1"}};
  expect_kept_apart({}, info, {}, {{"name", "b"}, {"version", "1"}});
  expect_kept_apart({}, info, {}, {{"name", "a"}, {"version", "2"}});
  expect_kept_apart({{"Berth-Conversation", "1"}}, info, {{"Berth-Conversation", "2"}}, info);
  expect_kept_apart({}, Json(), {{"User-Agent", "other"}}, Json());
}

TEST_F(McpHttp, statuses_follow_the_order_of_the_checks) {
  const auto list = [](Json params = Json::object()) { return modern_body(7, "tools/list", std::move(params)); };
  const auto expect = [&](const Headers& headers, const std::string& body, int status, int code) {
    const auto answer = post(headers, body);
    EXPECT_EQ(answer.status, status) << answer.body;
    EXPECT_EQ(answer.json()["error"]["code"], code) << answer.body;
    return answer.json();
  };
  EXPECT_EQ(post(modern_headers("tools/list"), list()).status, 200);
  expect(modern_headers("tools/list"), "{", 400, -32700);
  expect(modern_headers("tools/list"), "[]", 400, -32600);
  EXPECT_EQ(expect(modern_headers("tools/list"), legacy_body(7, "tools/list"), 400, -32602)["id"], 7);
  expect(modern_headers("prompts/list"), list(), 400, -32020);
  expect(modern_headers("Tools/list"), list(), 400, -32020);
  auto headers = modern_headers("tools/list");
  headers.pop_back();
  expect(headers, list(), 400, -32020);
  expect(legacy_headers(), list(), 400, -32020);
  expect(modern_headers("tools/call", "ls"), modern_body(7, "tools/call", {{"name", "read_file"}}), 400, -32020);
  expect(modern_headers("tools/call"), modern_body(7, "tools/call", {{"name", "read_file"}}), 400, -32020);
  auto old = legacy_headers();
  old.emplace_back("mcp-protocol-version", "1999-01-01");
  old.emplace_back("mcp-method", "tools/list");
  auto body = Json::parse(list());
  body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = "1999-01-01";
  EXPECT_EQ(expect(old, body.dump(), 400, -32022)["error"]["data"],
            Json({{"supported", {"2026-07-28"}}, {"requested", "1999-01-01"}}));
  expect(modern_headers("ping"), modern_body(7, "ping"), 404, -32601);
  expect(modern_headers("initialize"), modern_body(7, "initialize"), 404, -32601);
  EXPECT_EQ(HttpCall(port_, "GET", modern_headers("x")).answer().status, 405);
  EXPECT_EQ(HttpCall(port_, "DELETE", modern_headers("x")).answer().status, 405);
  EXPECT_EQ(HttpCall(port_, "PUT", legacy_headers()).answer().status, 405);
}

TEST_F(McpHttp, a_base64_name_is_read_as_what_it_means) {
  const auto body = modern_body(1, "resources/read", {{"uri", "workspace:///a.txt"}});
  EXPECT_EQ(post(modern_headers("resources/read", "=?base64?d29ya3NwYWNlOi8vL2EudHh0?="), body).status, 200);
  EXPECT_EQ(post(modern_headers("resources/read", "=?base64?!!!?="), body).status, 400);
}

TEST_F(McpHttp, foreign_hosts_and_origins_are_turned_away_first) {
  const auto with = [](Headers more) {
    auto headers = legacy_headers();
    headers.insert(headers.end(), more.begin(), more.end());
    return headers;
  };
  const auto body = legacy_body(1, "initialize", {{"protocolVersion", "2025-11-25"}});
  EXPECT_EQ(post(with({{"Host", "evil.example"}}), body).status, 421);
  EXPECT_EQ(post(with({{"Host", "127.0.0.1.evil.example"}}), body).status, 421);
  EXPECT_EQ(post(with({{"Origin", "http://evil.example"}}), body).status, 403);
  EXPECT_EQ(post(with({{"Origin", "null"}}), body).status, 403);
  EXPECT_EQ(post(with({{"Host", "localhost:1"}, {"Origin", "http://localhost:3000"}}), body).status, 200);
  EXPECT_EQ(post(with({{"Host", "[::1]:1"}, {"Origin", "https://[::1]"}}), body).status, 200);
  EXPECT_EQ(HttpCall(port_, "POST", legacy_headers(), body, "/other").answer().status, 404);
}

TEST_F(McpHttp, media_types_are_checked) {
  const auto body = legacy_body(1, "initialize", {{"protocolVersion", "2025-11-25"}});
  EXPECT_EQ(post({{"Content-Type", "text/plain"}, {"Accept", "*/*"}}, body).status, 415);
  EXPECT_EQ(post({{"Content-Type", "application/json"}, {"Accept", "application/json"}}, body).status, 406);
  EXPECT_EQ(post({{"Content-Type", "Application/JSON; charset=utf-8"}, {"Accept", "*/*"}}, body).status, 200);
}

TEST_F(McpHttp, requests_that_are_no_http_or_too_large_are_answered_and_others_go_on) {
  HttpConnection garbage(port_);
  garbage.send("nonsense\r\n\r\n");
  EXPECT_THAT(garbage.read_until("\r\n").value_or(""), ::testing::HasSubstr(" 400 "));
  HttpConnection large(port_);
  large.send("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999999\r\n\r\nxxxx");
  EXPECT_THAT(large.read_until("\r\n").value_or(""), ::testing::HasSubstr(" 413 "));
  HttpConnection wide(port_);
  wide.send("GET /mcp HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(100'000, 'x') + "\r\n\r\n");
  EXPECT_THAT(wide.read_until("\r\n").value_or(""), ::testing::HasSubstr(" 431 "));
  HttpConnection half(port_);
  half.send("POST /mcp HTTP/1.1\r\nHost: loc");
  EXPECT_EQ(post(modern_headers("tools/list"), modern_body(1, "tools/list")).status, 200);
}

TEST_F(McpHttp, one_connection_serves_many_requests) {
  HttpConnection connection(port_);
  const auto body = modern_body(1, "tools/list");
  for (int i = 0; i < 5; ++i) {
    connection.send(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: */*\r\n"
        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\nContent-Length: " +
        std::to_string(body.size()) + "\r\n\r\n" + body);
    ASSERT_EQ(connection.read_until("\r\n"), "HTTP/1.1 200 OK");
    const auto head = connection.read_until("\r\n\r\n").value();
    const auto length = head.find("Content-Length: ");
    ASSERT_NE(length, std::string::npos);
    ASSERT_TRUE(connection.read_bytes(std::stoul(head.substr(length + 16))));
  }
}

TEST_F(McpHttp, progress_makes_the_answer_a_stream) {
  const auto params = [](Json token) {
    return Json({{"name", "test_tool_with_progress"}, {"_meta", {{"progressToken", std::move(token)}}}});
  };
  const auto session = open();
  HttpCall legacy(port_, "POST", legacy_headers(session), legacy_body(5, "tools/call", params("p")));
  EXPECT_EQ(legacy.answer().header("content-type"), "text/event-stream");
  EXPECT_EQ(legacy.event()->data, "");  // where the client is, for coming back
  for (const double done : {0, 50, 100}) {
    const auto event = legacy.event();
    ASSERT_TRUE(event);
    EXPECT_FALSE(event->id.empty());
    EXPECT_EQ(Json::parse(event->data)["params"]["progress"], done);
  }
  EXPECT_EQ(Json::parse(legacy.event()->data)["id"], 5);
  EXPECT_FALSE(legacy.event());

  HttpCall modern(port_, "POST", modern_headers("tools/call", "test_tool_with_progress"),
                  modern_body(6, "tools/call", params(3)));
  for (int i = 0; i < 3; ++i) {
    const auto event = modern.event();
    EXPECT_EQ(event->id, "");
    EXPECT_EQ(Json::parse(event->data)["params"]["progressToken"], 3);
  }
  EXPECT_EQ(Json::parse(modern.event()->data)["id"], 6);
}

TEST_F(McpHttp, a_client_that_was_cut_off_goes_on_where_it_was) {
  const auto session = open();
  std::string last;
  {
    HttpCall call(
        port_, "POST", legacy_headers(session),
        legacy_body(5, "tools/call", {{"name", "test_tool_with_progress"}, {"_meta", {{"progressToken", "p"}}}}));
    call.event();
    last = call.event()->id;
  }
  auto headers = legacy_headers(session);
  headers.emplace_back("Last-Event-ID", last);
  HttpCall resumed(port_, "GET", headers);
  EXPECT_EQ(resumed.answer().status, 200);
  EXPECT_EQ(Json::parse(resumed.event()->data)["params"]["progress"], 50.0);
  EXPECT_EQ(Json::parse(resumed.event()->data)["params"]["progress"], 100.0);
  EXPECT_EQ(Json::parse(resumed.event()->data)["id"], 5);
  EXPECT_FALSE(resumed.event());
  headers.back().second = "77-1";
  EXPECT_EQ(HttpCall(port_, "GET", headers).answer().status, 400);
}

TEST_F(McpHttp, a_get_stream_tells_of_watched_files) {
  const auto session = open();
  EXPECT_EQ(
      post(legacy_headers(session), legacy_body(1, "resources/subscribe", {{"uri", "workspace:///a.txt"}})).status,
      200);
  HttpCall stream(port_, "GET", legacy_headers(session));
  EXPECT_EQ(stream.answer().status, 200);
  dir_.write("a.txt", "changed\n");
  EXPECT_EQ(Json::parse(stream.event()->data)["params"]["uri"], "workspace:///a.txt");
}

TEST_F(McpHttp, a_modern_client_listens_on_its_request) {
  HttpCall stream(port_, "POST", modern_headers("subscriptions/listen"),
                  modern_body("L", "subscriptions/listen",
                              {{"notifications",
                                {{"resourceSubscriptions", {"workspace:///a.txt"}}, {"toolsListChanged", true}}}}));
  EXPECT_EQ(Json::parse(stream.event()->data)["method"], "notifications/subscriptions/acknowledged");
  dir_.write("a.txt", "changed\n");
  const auto updated = Json::parse(stream.event()->data);
  EXPECT_EQ(updated["method"], "notifications/resources/updated");
  post(modern_headers("tools/call", "test_trigger_prompt_change"),
       modern_body(1, "tools/call", {{"name", "test_trigger_prompt_change"}}));
  post(modern_headers("tools/call", "test_trigger_tool_change"),
       modern_body(1, "tools/call", {{"name", "test_trigger_tool_change"}}));
  // The file may have been looked at in the middle of its change, and is then told of twice.
  Json next = updated;
  while (next["method"] == updated["method"]) next = Json::parse(stream.event()->data);
  EXPECT_EQ(next["method"], "notifications/tools/list_changed");
  server_->signal(SIGTERM);
  EXPECT_EQ(Json::parse(stream.event()->data)["id"], "L");
  EXPECT_EQ(server_->wait(), 0);
}

TEST_F(McpHttp, a_modern_client_that_goes_takes_its_command_with_it) {
  {
    HttpConnection connection(port_);
    const auto body = modern_body(1, "tools/call", endless());
    connection.send(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: */*\r\n"
        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: execute\r\n"
        "Content-Length: " +
        std::to_string(body.size()) + "\r\n\r\n" + body);
    ASSERT_TRUE(eventually([&] { return processes_with(mark()) > 0; }));
  }
  EXPECT_TRUE(eventually([&] { return processes_with(mark()) == 0; }));
}

TEST_F(McpHttp, a_notification_cancels_a_call_of_a_session) {
  const auto session = open();
  HttpConnection connection(port_);
  const auto body = legacy_body("c", "tools/call", endless());
  connection.send(
      "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: */*\r\n"
      "Mcp-Session-Id: " +
      session + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  ASSERT_TRUE(eventually([&] { return processes_with(mark()) > 0; }));
  EXPECT_EQ(post(legacy_headers(session),
                 R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c"}})")
                .status,
            202);
  EXPECT_TRUE(eventually([&] { return processes_with(mark()) == 0; }));
}

TEST_F(McpHttp, the_end_of_a_session_ends_its_commands) {
  const auto session = open();
  HttpConnection connection(port_);
  const auto body = legacy_body("c", "tools/call", endless());
  connection.send(
      "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: */*\r\n"
      "Mcp-Session-Id: " +
      session + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  ASSERT_TRUE(eventually([&] { return processes_with(mark()) > 0; }));
  EXPECT_EQ(HttpCall(port_, "DELETE", legacy_headers(session)).answer().status, 204);
  EXPECT_TRUE(eventually([&] { return processes_with(mark()) == 0; }));
}

TEST_F(McpHttp, idle_streams_hold_nobody_up) {
  std::vector<std::unique_ptr<HttpCall>> streams;
  for (int i = 0; i < 200; ++i) {
    streams.push_back(
        std::make_unique<HttpCall>(port_, "POST", modern_headers("subscriptions/listen"),
                                   modern_body(i, "subscriptions/listen", {{"notifications", Json::object()}})));
    ASSERT_TRUE(streams.back()->event());
  }
  EXPECT_EQ(post(modern_headers("tools/list"), modern_body(1, "tools/list")).status, 200);
  server_->signal(SIGINT);
  EXPECT_EQ(server_->wait(), 0);
}

TEST_F(McpHttp, a_token_is_demanded_when_there_is_one) {
  dir_.write("token", "0123456789abcdef\n");
  start({"mcp", "--http", "127.0.0.1:0", "--token-file", dir_.at("token")});
  auto headers = modern_headers("tools/list");
  const auto refused = post(headers, modern_body(1, "tools/list"));
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(refused.header("www-authenticate"), "Bearer");
  headers.emplace_back("Authorization", "Bearer 0123456789abcdeX");
  EXPECT_EQ(post(headers, modern_body(1, "tools/list")).status, 401);
  headers.back().second = "bearer 0123456789abcdef";
  EXPECT_EQ(post(headers, modern_body(1, "tools/list")).status, 200);
}

TEST_F(McpHttp, an_address_that_others_can_reach_is_refused_without_a_token) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"mcp", "--http", "0.0.0.0:0"},
                                                {"mcp", "--http", "0.0.0.0:0", "--public"},
                                                {"mcp", "--http", "nonsense:port"},
                                                {"mcp", "--http", "localhost"},
                                                {"mcp", "--public"}}) {
    McpServer refused(dir_.path(), words);
    EXPECT_EQ(refused.wait(), 2) << words.back();
  }
}

}  // namespace
}  // namespace berth::testing
