#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "testing/temp_dir.h"

namespace berth::testing {

using Json = nlohmann::ordered_json;

/// Look again and again, for at most twenty seconds. False: it never came true.
bool eventually(const std::function<bool()>& condition);

/// How many processes have this text in their command line, this one left out.
int processes_with(std::string_view text);

/// `berth … mcp` as a client starts it, with a pipe to each of its streams.
class McpServer {
 public:
  /// `words` come after `berth -w DIRECTORY`.
  explicit McpServer(const std::string& directory, std::vector<std::string> words = {"mcp"});
  ~McpServer();
  McpServer(const McpServer&) = delete;
  McpServer& operator=(const McpServer&) = delete;

  void send(const Json& message) { send_text(message.dump() + "\n"); }
  void send_text(std::string_view text) const;
  /// The next line of its output; null at its end, or after twenty seconds.
  Json next();
  /// Send a request of the older era and skip to its answer.
  Json ask(const Json& id, const std::string& method, const Json& params = Json::object());
  Json ask_modern(const Json& id, const std::string& method, Json params = Json::object());
  /// Open the conversation as a client of the older era does.
  Json open(const std::string& version = "2025-11-25");

  /// The next line of its standard error.
  std::string next_error_line();

  void close_input();
  void close_output();
  void signal(int number) const;
  /// Wait for its end: the exit code, or 128 + signal. Nothing after twenty seconds.
  std::optional<int> wait();
  pid_t pid() const noexcept { return pid_; }

 private:
  pid_t pid_ = -1;
  int in_ = -1;
  int out_ = -1;
  int err_ = -1;
  std::string held_;
  std::string held_errors_;
};

}  // namespace berth::testing
