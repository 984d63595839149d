#include "surface/mcp/stdio.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <thread>

#include <gtest/gtest.h>

#include "surface/mcp/fake_tools_fixture.h"

namespace berth::mcp {
namespace {

/// A server on two pipes, and its client's ends of them.
class Pipes {
 public:
  explicit Pipes(StdioOptions options = {}) {
    int in[2];
    int out[2];
    if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) std::abort();
    server_in_.reset(in[0]);
    to_server.reset(in[1]);
    from_server.reset(out[0]);
    server_out_.reset(out[1]);
    options.in = in[0];
    options.out = out[1];
    thread_ = std::thread([this, options] {
      ended = serve_stdio(fixture.service, options, stop.get_token()).has_value();
      server_out_.reset();
    });
  }
  ~Pipes() {
    stop.request_stop();
    thread_.join();
  }

  void send(std::string_view text) const {
    ASSERT_EQ(::write(to_server.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }

  /// The next frame; null at the end, or after ten seconds.
  Json next() {
    for (;;) {
      if (const auto end = held_.find('\n'); end != std::string::npos) {
        auto frame = Json::parse(held_.substr(0, end));
        held_.erase(0, end + 1);
        return frame;
      }
      pollfd readable{from_server.get(), POLLIN, 0};
      char buffer[4096];
      if (::poll(&readable, 1, 10'000) != 1) return {};
      const auto got = ::read(from_server.get(), buffer, sizeof buffer);
      if (got <= 0) return {};
      held_.append(buffer, static_cast<std::size_t>(got));
    }
  }

  void join() {
    thread_.join();
    thread_ = std::thread([] {});
  }

  ServiceFixture fixture;
  std::stop_source stop;
  os::Fd to_server;
  os::Fd from_server;
  bool ended = false;

 private:
  os::Fd server_in_;
  os::Fd server_out_;
  std::string held_;
  std::thread thread_;
};

TEST(Stdio, one_message_a_line_is_answered_with_one_line) {
  Pipes pipes;
  pipes.send(R"({"jsonrpc":"2.0","id":1,"method":"pi)");
  pipes.send("ng\"}\n\n");
  EXPECT_EQ(pipes.next(), Json({{"jsonrpc", "2.0"}, {"id", 1}, {"result", Json::object()}}));
}

TEST(Stdio, a_malformed_line_is_answered_and_does_not_end_the_conversation) {
  Pipes pipes({.max_frame_bytes = 1000});
  pipes.send("{nonsense\n");
  EXPECT_EQ(pipes.next()["error"]["code"], rpc::kParseError);
  pipes.send("\"\xff\"\n");
  EXPECT_EQ(pipes.next()["error"]["code"], rpc::kParseError);
  pipes.send("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]\n");
  EXPECT_EQ(pipes.next()["error"]["code"], rpc::kInvalidRequest);
  pipes.send(std::string(5000, 'x') + "\n");
  const auto too_long = pipes.next();
  EXPECT_EQ(too_long["error"]["code"], rpc::kInvalidRequest);
  EXPECT_EQ(too_long["error"]["data"]["max_bytes"], 1000);
  pipes.send(R"({"jsonrpc":"2.0","id":2,"method":"ping"})"
             "\n");
  EXPECT_EQ(pipes.next()["id"], 2);
}

TEST(Stdio, the_era_is_told_from_each_request) {
  Pipes pipes;
  pipes.send(
      R"({"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}})"
      "\n");
  EXPECT_EQ(pipes.next()["result"]["resultType"], "complete");
  pipes.send(R"({"jsonrpc":"2.0","id":2,"method":"server/discover"})"
             "\n");
  EXPECT_EQ(pipes.next()["error"]["code"], rpc::kMethodNotFound);
  pipes.send(
      R"({"jsonrpc":"2.0","id":3,"method":"initialize","params":{"protocolVersion":"2025-11-25","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})"
      "\n");
  EXPECT_EQ(pipes.next()["result"]["protocolVersion"], "2025-11-25");
}

TEST(Stdio, after_the_end_of_input_calls_are_answered_and_it_ends) {
  Pipes pipes;
  pipes.send(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}})");
  pipes.to_server.reset();
  EXPECT_EQ(pipes.next()["id"], 1);
  EXPECT_EQ(pipes.next(), Json());
  pipes.join();
  EXPECT_TRUE(pipes.ended);
}

TEST(Stdio, a_call_that_does_not_end_after_the_end_of_input_is_stopped) {
  Pipes pipes({.drain = std::chrono::milliseconds(20)});
  pipes.send(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"endless"}})"
             "\n");
  pipes.fixture.endless.wait_begun(1);
  pipes.to_server.reset();
  pipes.join();
  EXPECT_TRUE(pipes.ended);
  EXPECT_EQ(pipes.fixture.endless.stopped, 1);
}

TEST(Stdio, a_client_that_is_gone_ends_it_and_its_calls) {
  Pipes pipes({.drain = std::chrono::hours(1)});
  pipes.send(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"endless"}})"
             "\n");
  pipes.fixture.endless.wait_begun(1);
  // Its input stays open, as when a child of the client has inherited it.
  pipes.from_server.reset();
  pipes.join();
  EXPECT_TRUE(pipes.ended);
  EXPECT_EQ(pipes.fixture.endless.stopped, 1);
}

TEST(Stdio, a_client_that_does_not_read_cannot_keep_it_from_stopping) {
  Pipes pipes;
  const std::string request = R"({"jsonrpc":"2.0","id":)";
  const std::string rest =
      R"(,"method":"tools/call","params":{"name":"echo","arguments":{"text":")" + std::string(3000, 'x') + "\"}}}\n";
  for (int i = 0; i < 40; ++i) pipes.send(request + std::to_string(i) + rest);
  pipes.stop.request_stop();
  pipes.join();
  EXPECT_TRUE(pipes.ended);
}

TEST(Stdio, a_cancelled_call_is_not_answered) {
  Pipes pipes;
  pipes.send(R"({"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"endless"}})"
             "\n");
  pipes.fixture.endless.wait_begun(1);
  pipes.send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"x","reason":"no"}})"
             "\n");
  pipes.to_server.reset();
  EXPECT_EQ(pipes.next(), Json());
  EXPECT_EQ(pipes.fixture.endless.stopped, 1);
}

}  // namespace
}  // namespace berth::mcp
