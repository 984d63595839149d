#include "surface/mcp/http_checks.h"

#include <gtest/gtest.h>

#include "surface/mcp/event_log.h"
#include "surface/mcp/protocol/era.h"

namespace berth::mcp {
namespace {

net::HttpRequest request(std::vector<net::HttpHeader> headers, std::string target = "/mcp") {
  return {"POST", std::move(target), std::move(headers), {}};
}

int gate_status(const HttpGate& gate, const net::HttpRequest& asked) {
  const auto refused = refused_at_gate(gate, asked);
  return refused ? refused->status : 0;
}

TEST(HttpChecks, this_machine_by_any_of_its_names_may_come_in) {
  for (const auto* host : {"localhost", "LOCALHOST:80", "127.0.0.1:1", "127.1.2.3", "[::1]", "[::1]:8000"}) {
    EXPECT_EQ(gate_status({}, request({{"Host", host}})), 0) << host;
  }
}

TEST(HttpChecks, other_hosts_and_origins_are_turned_away) {
  for (const auto* host : {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "[::1", "", "a:b:c",
                           "localhost:80x", "localhost@evil.example"}) {
    EXPECT_EQ(gate_status({}, request({{"Host", host}})), 421) << host;
  }
  for (const auto* origin : {"http://evil.example", "null", "localhost", "file://", "http://localhost.evil.example"}) {
    EXPECT_EQ(gate_status({}, request({{"Host", "localhost"}, {"Origin", origin}})), 403) << origin;
  }
  EXPECT_EQ(gate_status({}, request({})), 400);
  EXPECT_EQ(gate_status({}, request({{"Host", "localhost"}, {"host", "localhost"}})), 400);
}

TEST(HttpChecks, a_host_that_was_allowed_may_come_in_with_the_token) {
  const HttpGate gate{.hosts = {"berth.example"}, .token = "0123456789abcdef"};
  std::vector<net::HttpHeader> headers = {{"Host", "Berth.example"}, {"Origin", "https://berth.example"}};
  EXPECT_EQ(gate_status(gate, request(headers)), 401);
  headers.push_back({"Authorization", "Bearer 0123456789abcdef"});
  EXPECT_EQ(gate_status(gate, request(headers)), 0);
  EXPECT_EQ(gate_status(gate, request(headers, "/mcp?x=1")), 0);
  EXPECT_EQ(gate_status(gate, request(headers, "/")), 404);
  headers.back().value = "Bearer 0123456789abcde";
  EXPECT_EQ(gate_status(gate, request(headers)), 401);
  headers.back().value = "Basic 0123456789abcdef";
  EXPECT_EQ(gate_status(gate, request(headers)), 401);
}

TEST(HttpChecks, headers_must_say_what_the_message_says) {
  const Request message{1, "tools/call", {{"name", "b"}, {"_meta", {{std::string(meta::kVersion), "2026-07-28"}}}}};
  const std::vector<net::HttpHeader> right = {
      {"mcp-protocol-version", "2026-07-28"}, {"MCP-METHOD", " tools/call "}, {"Mcp-Name", "b"}};
  EXPECT_FALSE(header_mismatch(request(right), message));
  for (std::size_t i = 0; i < right.size(); ++i) {
    auto wrong = right;
    wrong[i].value = "B";
    EXPECT_EQ(header_mismatch(request(wrong), message)->code, rpc::kHeaderMismatch) << right[i].name;
    wrong.erase(wrong.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_TRUE(header_mismatch(request(wrong), message)) << right[i].name;
  }
}

/// Keeps what a stream was sent.
class Kept final : public net::HttpExchange {
 public:
  void respond(net::HttpResponse /*response*/) override {}
  void begin_stream(net::HttpResponse /*head*/, std::string /*keepalive*/) override {}
  bool write(std::string bytes) override {
    if (!gone) text += bytes;
    return !gone;
  }
  void end() override { ended = true; }
  void on_gone(std::function<void()> /*callback*/) override {}
  void call_later(std::chrono::milliseconds /*delay*/, std::function<void()> /*callback*/) override {}

  std::string text;
  bool gone = false;
  bool ended = false;
};

std::string events(int first, int last) {
  std::string text;
  for (int i = first; i <= last; ++i) text += event_of("7-" + std::to_string(i), std::to_string(i));
  return text;
}

TEST(EventLog, what_was_missed_is_sent_again_and_no_more) {
  EventLog log(7, {});
  const auto first = std::make_shared<Kept>();
  log.attach(first, std::nullopt, EventLog::FirstEvent::none, event_stream_head());
  log.add("1");
  log.add("2");
  first->gone = true;
  log.add("3");
  log.detach(first.get());
  log.add("4");
  EXPECT_EQ(first->text, events(1, 2));
  const auto again = std::make_shared<Kept>();
  log.attach(again, 1, EventLog::FirstEvent::none, event_stream_head());
  log.add("5");
  EXPECT_EQ(again->text, events(2, 5));
  log.finish();
  EXPECT_TRUE(again->ended);
}

TEST(EventLog, without_a_place_to_go_on_from_what_was_never_sent_comes) {
  EventLog log(7, {});
  log.add("1");
  const auto first = std::make_shared<Kept>();
  log.attach(first, std::nullopt, EventLog::FirstEvent::none, event_stream_head());
  EXPECT_EQ(first->text, events(1, 1));
  const auto second = std::make_shared<Kept>();
  log.attach(second, std::nullopt, EventLog::FirstEvent::empty, event_stream_head());
  EXPECT_TRUE(first->ended);
  EXPECT_EQ(second->text, "id: 7-1\ndata: \n\n");
}

TEST(EventLog, it_is_bounded) {
  EventLog log(7, {.events = 3, .bytes = 1000});
  for (int i = 1; i <= 10; ++i) log.add(std::to_string(i));
  const auto late = std::make_shared<Kept>();
  log.attach(late, 1, EventLog::FirstEvent::none, event_stream_head());
  EXPECT_EQ(late->text, events(8, 10));
}

TEST(EventLog, ids_are_read_back) {
  EXPECT_EQ(EventLog::parse_id("12-3")->stream, 12U);
  EXPECT_EQ(EventLog::parse_id("12-3")->event, 3U);
  for (const auto* text : {"", "-", "1-", "-1", "1-x", "x-1", "1", "1-2-3", "99999999999999999999-1"}) {
    EXPECT_FALSE(EventLog::parse_id(text)) << text;
  }
}

}  // namespace
}  // namespace berth::mcp
