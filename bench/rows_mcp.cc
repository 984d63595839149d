#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "bench/rows.h"
#include "bench/tree.h"

namespace berth::bench {
namespace {

/// A server of the Model Context Protocol on two pipes, and as little of a client as it takes to ask it.
class Server {
 public:
  Server(std::vector<std::string> words) {
    int in[2];
    int out[2];
    require(::pipe2(in, O_CLOEXEC) == 0 && ::pipe2(out, O_CLOEXEC) == 0, "pipe2");
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_ = ::fork();
    require(pid_ >= 0, "fork");
    if (pid_ == 0) {
      ::dup2(in[0], STDIN_FILENO);
      ::dup2(out[1], STDOUT_FILENO);
      ::dup2(::open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
      ::execvp(argv[0], argv.data());
      ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    in_ = in[1];
    out_ = out[0];
    ask("initialize",
        R"({"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}})");
    send(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  }
  ~Server() {
    ::close(in_);
    ::close(out_);
    ::waitpid(pid_, nullptr, 0);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void ask(const std::string& method, const std::string& params) {
    const auto id = std::to_string(++last_);
    send(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":)" + params + "}");
    // A server may say other things in between.
    for (;;) {
      const auto line = receive();
      if (line.find("\"id\":" + id) == std::string::npos) continue;
      require(line.find("\"error\"") == std::string::npos && line.find("\"isError\":true") == std::string::npos, line);
      return;
    }
  }

 private:
  void send(std::string line) const {
    line += '\n';
    require(::write(in_, line.data(), line.size()) == static_cast<ssize_t>(line.size()), "write to the server");
  }

  std::string receive() {
    for (;;) {
      if (const auto end = held_.find('\n'); end != std::string::npos) {
        auto line = held_.substr(0, end);
        held_.erase(0, end + 1);
        return line;
      }
      char buffer[65536];
      const auto got = ::read(out_, buffer, sizeof buffer);
      require(got > 0, "read from the server");
      held_.append(buffer, static_cast<std::size_t>(got));
    }
  }

  pid_t pid_ = -1;
  int in_ = -1;
  int out_ = -1;
  int last_ = 0;
  std::string held_;
};

std::string call(const std::string& tool, const std::string& path) {
  return R"({"name":")" + tool + R"(","arguments":{"path":")" + path + R"("}})";
}

}  // namespace

std::vector<Row> mcp_rows() {
  const Scratch scratch;
  const auto file = scratch.path() + "/a.txt";
  {
    std::ofstream text(file);
    for (int i = 0; i < 64; ++i) text << std::string(63, 'x') << '\n';
  }
  Server ours({BERTH_PROGRAM, "-w", scratch.path(), "mcp"});
  const Contender berth{"berth", [&] { ours.ask("tools/call", call("read_file", "a.txt")); }};
  const auto ms = [](double ns) { return ns / 1e6; };
  const char* words = std::getenv("BERTH_BENCH_MCP_PEER");
  if (words == nullptr) {
    const auto times = measure({berth}, {.rounds = 41, .batch = 50});
    return {{"MCP call read_file 4 KiB", ms(times[0]), "ms", "", {}, {.ratio = {}, .limit = 0.3}}};
  }
  std::vector<std::string> peer;
  std::istringstream split(words);
  for (std::string word; split >> word;) peer.push_back(word);
  peer.push_back(scratch.path());
  Server theirs(peer);
  const auto times = measure({berth, {"peer", [&] { theirs.ask("tools/call", call("read_text_file", file)); }}},
                             {.rounds = 41, .batch = 50});
  return {
      {"MCP call read_file 4 KiB", ms(times[0]), "ms", "", {}, {.ratio = {}, .limit = 0.3}},
      {"MCP call read_file 4 KiB",
       ms(times[0]),
       "ms",
       "reference filesystem server",
       ms(times[1]),
       {.ratio = 0.25, .limit = {}}},
  };
}

}  // namespace berth::bench
