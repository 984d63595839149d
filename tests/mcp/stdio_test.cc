#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "tests/mcp/server_process.h"

namespace berth::testing {
namespace {

/// A command that lasts for ever, and whose processes can be told from all others: a shell, a child, and one that went
/// into a session of its own.
class EndlessCommand {
 public:
  EndlessCommand() : mark_("86399." + std::to_string(::getpid()) + std::to_string(++count_)) {}

  Json params() const {
    return {{"name", "execute"},
            {"arguments", {{"command", "setsid sleep " + mark_ + " & sleep " + mark_ + " & wait"}}}};
  }
  bool runs() const {
    // The shell and its two children.
    return eventually([&] { return processes_with(mark_) >= 3; });
  }
  bool ended() const {
    return eventually([&] { return processes_with(mark_) == 0; });
  }

 private:
  static inline int count_ = 0;
  std::string mark_;
};

class McpStdio : public ::testing::Test {
 protected:
  McpStdio() { dir_.write("a.txt", "alpha\n"); }

  TempDir dir_;
};

TEST_F(McpStdio, both_eras_list_the_same_tools) {
  McpServer server(dir_.path());
  EXPECT_EQ(server.open()["result"]["protocolVersion"], "2025-11-25");
  const auto legacy = server.ask(1, "tools/list")["result"]["tools"];
  const auto modern = server.ask_modern(2, "tools/list")["result"];
  EXPECT_EQ(legacy, modern["tools"]);
  EXPECT_EQ(modern["resultType"], "complete");
  std::set<std::string> names;
  for (const auto& tool : legacy) {
    EXPECT_TRUE(names.insert(tool["name"]).second);
    EXPECT_EQ(tool["inputSchema"]["type"], "object");
    EXPECT_FALSE(tool["description"].get<std::string>().empty());
    EXPECT_TRUE(tool["annotations"]["readOnlyHint"].is_boolean());
  }
  EXPECT_TRUE(names.contains("read_file"));
  EXPECT_TRUE(names.contains("write_file"));
  server.close_input();
  EXPECT_EQ(server.wait(), 0);
}

TEST_F(McpStdio, C_POL_3_what_rules_ask_about_is_asked_of_the_client_and_goes_through) {
  McpServer server(dir_.path(), {"--rules", "preset:default", "mcp"});
  server.ask(0, "initialize",
             {{"protocolVersion", "2025-11-25"},
              {"capabilities", {{"elicitation", Json::object()}}},
              {"clientInfo", {{"name", "t"}, {"version", "1"}}}});
  const Json write = {{"name", "write_file"}, {"arguments", {{"path", "b.txt"}, {"content", "x"}}}};
  server.send({{"jsonrpc", "2.0"}, {"id", 1}, {"method", "tools/call"}, {"params", write}});
  const auto question = server.next();
  EXPECT_EQ(question["method"], "elicitation/create") << question;
  EXPECT_FALSE(dir_.exists("b.txt"));
  // Others are answered meanwhile.
  EXPECT_TRUE(server.ask(2, "ping")["result"].is_object());
  server.send({{"jsonrpc", "2.0"}, {"id", question["id"]}, {"result", {{"action", "accept"}}}});
  EXPECT_FALSE(server.next()["result"].contains("isError"));
  EXPECT_EQ(dir_.read("b.txt"), "x");
}

TEST_F(McpStdio, C_POL_3_a_question_that_nobody_answers_ends_with_the_input) {
  McpServer server(dir_.path(), {"--rules", "preset:default", "mcp"});
  server.ask(0, "initialize",
             {{"protocolVersion", "2025-11-25"},
              {"capabilities", {{"elicitation", Json::object()}}},
              {"clientInfo", {{"name", "t"}, {"version", "1"}}}});
  const Json write = {{"name", "write_file"}, {"arguments", {{"path", "b.txt"}, {"content", "x"}}}};
  server.send({{"jsonrpc", "2.0"}, {"id", 1}, {"method", "tools/call"}, {"params", write}});
  EXPECT_EQ(server.next()["method"], "elicitation/create");
  server.close_input();
  EXPECT_EQ(server.wait(), 0);
  EXPECT_FALSE(dir_.exists("b.txt"));
}

TEST_F(McpStdio, a_file_is_written_read_and_refused) {
  McpServer server(dir_.path());
  server.open();
  const auto written = server.ask(
      1, "tools/call", {{"name", "write_file"}, {"arguments", {{"path", "b/c.txt"}, {"content", "one\ntwo\n"}}}});
  EXPECT_FALSE(written["result"].contains("isError")) << written;
  EXPECT_EQ(dir_.read("b/c.txt"), "one\ntwo\n");
  const auto read = server.ask(2, "tools/call", {{"name", "read_file"}, {"arguments", {{"path", "b/c.txt"}}}});
  EXPECT_EQ(read["result"]["structuredContent"]["content"], "one\ntwo\n") << read;
  const auto missing = server.ask(3, "tools/call", {{"name", "read_file"}, {"arguments", {{"path", "none"}}}});
  EXPECT_EQ(missing["result"]["isError"], true);
  EXPECT_EQ(missing["result"]["_meta"]["berth/error"]["code"], "not_found") << missing;
  const auto unknown = server.ask(4, "tools/call", {{"name", "read_file"}, {"arguments", {{"path", "a"}, {"x", 1}}}});
  EXPECT_EQ(unknown["result"]["isError"], true);
}

TEST_F(McpStdio, a_read_only_workspace_offers_nothing_that_changes) {
  McpServer server(dir_.path(), {"--read-only", "mcp"});
  server.open();
  const auto listed = server.ask(1, "tools/list");
  EXPECT_FALSE(listed["result"]["tools"].empty());
  for (const auto& tool : listed["result"]["tools"]) {
    EXPECT_EQ(tool["annotations"]["readOnlyHint"], true) << tool["name"];
  }
  const auto refused = server.ask(2, "tools/call", {{"name", "write_file"}, {"arguments", Json::object()}});
  EXPECT_EQ(refused["error"]["code"], -32602);
}

TEST_F(McpStdio, requests_before_the_end_of_input_are_answered) {
  McpServer server(dir_.path());
  server.send_text(
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"ls\",\"arguments\":{}}}");
  server.close_input();
  EXPECT_EQ(server.next()["id"], 1);
  EXPECT_EQ(server.next(), Json());
  EXPECT_EQ(server.wait(), 0);
}

TEST_F(McpStdio, hostile_frames_are_errors_and_the_conversation_goes_on) {
  McpServer server(dir_.path());
  const auto code_of = [&](const std::string& text) {
    server.send_text(text + "\n");
    return server.next()["error"]["code"];
  };
  EXPECT_EQ(code_of("{"), -32700);
  EXPECT_EQ(code_of("\xff\xfe"), -32700);
  EXPECT_EQ(code_of("[]"), -32600);
  EXPECT_EQ(code_of(R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])"), -32600);
  EXPECT_EQ(code_of("null"), -32600);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})"), -32600);
  EXPECT_EQ(code_of(std::string(100'000, '[')), -32700);
  EXPECT_EQ(code_of(std::string(40 * 1024 * 1024, ' ') + "x"), -32600);
  EXPECT_EQ(server.ask(1, "ping")["result"], Json::object());
}

TEST_F(McpStdio, resources_are_listed_read_and_watched) {
  McpServer server(dir_.path());
  server.open();
  EXPECT_EQ(server.ask(1, "resources/list")["result"]["resources"][0]["uri"], "workspace:///a.txt");
  EXPECT_EQ(server.ask(2, "resources/read", {{"uri", "workspace:///a.txt"}})["result"]["contents"][0]["text"],
            "alpha\n");
  EXPECT_EQ(server.ask(3, "resources/read", {{"uri", "workspace:///none"}})["error"]["code"], -32002);
  EXPECT_EQ(server.ask(4, "resources/subscribe", {{"uri", "workspace:///a.txt"}})["result"], Json::object());
  dir_.write("a.txt", "changed\n");
  const auto updated = server.next();
  EXPECT_EQ(updated["method"], "notifications/resources/updated");
  EXPECT_EQ(updated["params"], Json({{"uri", "workspace:///a.txt"}}));
  EXPECT_EQ(server.ask(5, "resources/unsubscribe", {{"uri", "workspace:///a.txt"}})["result"], Json::object());
}

TEST_F(McpStdio, a_listening_request_hears_of_its_files_until_it_is_cancelled) {
  McpServer server(dir_.path());
  server.send({{"jsonrpc", "2.0"},
               {"id", "L"},
               {"method", "subscriptions/listen"},
               {"params",
                {{"_meta",
                  {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"},
                   {"io.modelcontextprotocol/clientCapabilities", Json::object()}}},
                 {"notifications",
                  {{"resourceSubscriptions", {"workspace:///a.txt", "other:///x"}}, {"toolsListChanged", true}}}}}});
  const Json meta = {{"io.modelcontextprotocol/subscriptionId", "L"}};
  const auto first = server.next();
  EXPECT_EQ(first["method"], "notifications/subscriptions/acknowledged");
  EXPECT_EQ(first["params"]["_meta"], meta);
  EXPECT_EQ(first["params"]["notifications"], Json({{"resourceSubscriptions", {"workspace:///a.txt"}}}));
  dir_.write("a.txt", "changed\n");
  const auto updated = server.next();
  EXPECT_EQ(updated["method"], "notifications/resources/updated");
  EXPECT_EQ(updated["params"], Json({{"_meta", meta}, {"uri", "workspace:///a.txt"}}));
  server.send({{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {{"requestId", "L"}}}});
  EXPECT_EQ(server.ask(2, "ping")["result"], Json::object());
}

TEST_F(McpStdio, the_end_of_input_ends_listening_with_an_answer) {
  McpServer server(dir_.path());
  server.send({{"jsonrpc", "2.0"},
               {"id", 9},
               {"method", "subscriptions/listen"},
               {"params",
                {{"_meta",
                  {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"},
                   {"io.modelcontextprotocol/clientCapabilities", Json::object()}}},
                 {"notifications", Json::object()}}}});
  EXPECT_EQ(server.next()["method"], "notifications/subscriptions/acknowledged");
  server.close_input();
  const auto closing = server.next();
  EXPECT_EQ(closing["id"], 9);
  EXPECT_EQ(closing["result"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 9);
  EXPECT_EQ(server.wait(), 0);
}

TEST_F(McpStdio, a_cancelled_call_kills_its_command_and_gets_no_answer) {
  McpServer server(dir_.path());
  server.open();
  const EndlessCommand command;
  server.send({{"jsonrpc", "2.0"}, {"id", "c"}, {"method", "tools/call"}, {"params", command.params()}});
  ASSERT_TRUE(command.runs());
  server.send({{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {{"requestId", "c"}}}});
  EXPECT_TRUE(command.ended());
  server.send({{"jsonrpc", "2.0"}, {"id", 2}, {"method", "ping"}});
  EXPECT_EQ(server.next()["id"], 2);
}

TEST_F(McpStdio, quick_calls_pass_long_ones) {
  McpServer server(dir_.path());
  server.open();
  const EndlessCommand command;
  for (int i = 0; i < 10; ++i) {
    server.send({{"jsonrpc", "2.0"}, {"id", i}, {"method", "tools/call"}, {"params", command.params()}});
  }
  ASSERT_TRUE(command.runs());
  EXPECT_TRUE(server.ask("q", "tools/call", {{"name", "ls"}, {"arguments", Json::object()}}).contains("result"));
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(), 0);
  EXPECT_TRUE(command.ended());
}

TEST_F(McpStdio, closed_pipes_end_it_and_its_commands) {
  McpServer server(dir_.path());
  server.open();
  const EndlessCommand command;
  server.send({{"jsonrpc", "2.0"}, {"id", 1}, {"method", "tools/call"}, {"params", command.params()}});
  ASSERT_TRUE(command.runs());
  server.send_text(R"({"jsonrpc":"2.0","id":2,"method":"to)");
  server.close_output();
  EXPECT_EQ(server.wait(), 0);
  EXPECT_TRUE(command.ended());
}

TEST_F(McpStdio, a_killed_client_ends_it_and_its_commands) {
  const EndlessCommand command;
  int pipe_ends[2];
  ASSERT_EQ(::pipe(pipe_ends), 0);
  const pid_t client = ::fork();
  if (client == 0) {
    McpServer server(dir_.path());
    const pid_t server_pid = server.pid();
    server.open();
    server.send({{"jsonrpc", "2.0"}, {"id", 1}, {"method", "tools/call"}, {"params", command.params()}});
    if (::write(pipe_ends[1], &server_pid, sizeof server_pid) < 0) ::_exit(1);
    for (;;) ::pause();
  }
  pid_t server = 0;
  EXPECT_EQ(::read(pipe_ends[0], &server, sizeof server), static_cast<ssize_t>(sizeof server));
  EXPECT_TRUE(command.runs());
  ::kill(client, SIGKILL);
  ::waitpid(client, nullptr, 0);
  // It is nobody's child that we could wait for: its command line vanishes.
  EXPECT_TRUE(eventually([&] { return processes_with(dir_.path()) == 0; }));
  EXPECT_TRUE(command.ended());
  ::close(pipe_ends[0]);
  ::close(pipe_ends[1]);
}

TEST_F(McpStdio, a_signal_ends_it_also_when_nobody_reads) {
  McpServer server(dir_.path());
  server.open();
  dir_.write("big.txt", std::string(200'000, 'x') + "\n");
  for (int i = 0; i < 20; ++i) {
    server.send(
        {{"jsonrpc", "2.0"}, {"id", i}, {"method", "resources/read"}, {"params", {{"uri", "workspace:///big.txt"}}}});
  }
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(), 0);
}

}  // namespace
}  // namespace berth::testing
