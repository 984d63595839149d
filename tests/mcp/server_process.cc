#include "tests/mcp/server_process.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace berth::testing {
namespace {

constexpr int kPatienceMs = 20'000;

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::abort();
}

// Nothing at the end of the stream or of patience.
std::optional<std::string> take_line(int fd, std::string& held) {
  for (;;) {
    if (const auto end = held.find('\n'); end != std::string::npos) {
      auto line = held.substr(0, end);
      held.erase(0, end + 1);
      return line;
    }
    pollfd readable{fd, POLLIN, 0};
    if (::poll(&readable, 1, kPatienceMs) != 1) return std::nullopt;
    char buffer[65536];
    const auto got = ::read(fd, buffer, sizeof buffer);
    if (got <= 0) return std::nullopt;
    held.append(buffer, static_cast<std::size_t>(got));
  }
}

void close_end(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

}  // namespace

bool eventually(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kPatienceMs);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
    ::poll(nullptr, 0, 5);
  }
  return true;
}

int processes_with(std::string_view text) {
  int count = 0;
  DIR* processes = ::opendir("/proc");
  while (const dirent* entry = ::readdir(processes)) {
    if (std::isdigit(static_cast<unsigned char>(entry->d_name[0])) == 0 || std::atoi(entry->d_name) == ::getpid()) {
      continue;
    }
    // It may end at any moment: then there is nothing to read.
    const int file = ::open((std::string("/proc/") + entry->d_name + "/cmdline").c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) continue;
    char buffer[4096];
    const auto got = ::read(file, buffer, sizeof buffer);
    ::close(file);
    const std::string_view line(buffer, got > 0 ? static_cast<std::size_t>(got) : 0);
    if (line.find(text) != std::string::npos) ++count;
  }
  ::closedir(processes);
  return count;
}

McpServer::McpServer(const std::string& directory, std::vector<std::string> words) {
  words.insert(words.begin(), {BERTH_PROGRAM, "-w", directory});
  int in[2];
  int out[2];
  int err[2];
  if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0) fail("pipe2");
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ < 0) fail("fork");
  if (pid_ == 0) {
    ::dup2(in[0], STDIN_FILENO);
    ::dup2(out[1], STDOUT_FILENO);
    ::dup2(err[1], STDERR_FILENO);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  in_ = in[1];
  out_ = out[0];
  err_ = err[0];
  ::close(in[0]);
  ::close(out[1]);
  ::close(err[1]);
  ::signal(SIGPIPE, SIG_IGN);
}

McpServer::~McpServer() {
  close_input();
  close_output();
  close_end(err_);
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void McpServer::send_text(std::string_view text) const {
  while (!text.empty()) {
    const auto written = ::write(in_, text.data(), text.size());
    if (written < 0 && errno != EINTR) return;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
}

Json McpServer::next() {
  const auto line = take_line(out_, held_);
  return line ? Json::parse(*line) : Json();
}

Json McpServer::ask(const Json& id, const std::string& method, const Json& params) {
  send({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}});
  for (;;) {
    auto frame = next();
    if (frame.is_null() || (frame.contains("id") && frame["id"] == id && !frame.contains("method"))) return frame;
  }
}

Json McpServer::ask_modern(const Json& id, const std::string& method, Json params) {
  params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28";
  params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = Json::object();
  return ask(id, method, params);
}

Json McpServer::open(const std::string& version) {
  auto answer = ask("open", "initialize",
                    {{"protocolVersion", version},
                     {"capabilities", Json::object()},
                     {"clientInfo", {{"name", "test"}, {"version", "1"}}}});
  send({{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}});
  return answer;
}

std::string McpServer::next_error_line() { return take_line(err_, held_errors_).value_or(""); }

void McpServer::close_input() { close_end(in_); }
void McpServer::close_output() { close_end(out_); }
void McpServer::signal(int number) const { ::kill(pid_, number); }

std::optional<int> McpServer::wait() {
  int status = 0;
  if (!eventually([&] { return ::waitpid(pid_, &status, WNOHANG) == pid_; })) return std::nullopt;
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace berth::testing
