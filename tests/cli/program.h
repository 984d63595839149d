#pragma once

#include <sys/types.h>

#include <chrono>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "testing/temp_dir.h"

namespace berth::testing {

/// What a program that ended left behind.
struct Ended {
  int status = -1;  ///< exit code, or 128 + signal as a shell says it
  std::string out;
  std::string err;

  bool operator==(const Ended&) const = default;
};

/// For failures of comparisons.
void PrintTo(const Ended& ended, std::ostream* stream);

/// The built `berth` at work in a directory of its own.
class Berth {
 public:
  /// Run it to its end. `words` come after `-w DIRECTORY`.
  Ended operator()(std::vector<std::string> words, std::string_view stdin_bytes = {}) const;
  /// The same with --json; the status is checked by the caller, the object is what standard output held.
  nlohmann::json json(std::vector<std::string> words, int expected_status = 0, std::string_view stdin_bytes = {}) const;
  /// Run it on a terminal of its own, where `typed` was typed before; what the terminal got is `out`.
  Ended on_terminal(std::vector<std::string> words, std::string_view typed = {}) const;

  TempDir directory;
};

/// Run any program: words, standard input, and variables set over the test's environment.
Ended run_program(const std::vector<std::string>& words, std::string_view stdin_bytes = {},
                  const std::vector<std::pair<std::string, std::string>>& env = {});

/// A program that is still running; ended with KILL and waited for when the object goes.
class Running {
 public:
  explicit Running(const std::vector<std::string>& words);
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  /// Wait until standard output holds the text; false when it ended or ten seconds passed without.
  bool wait_for_output(std::string_view text);
  void signal(int number) const;
  /// Wait for the end.
  Ended wait();

 private:
  friend Ended run_program(const std::vector<std::string>&, std::string_view,
                           const std::vector<std::pair<std::string, std::string>>&);
  Running(const std::vector<std::string>& words, std::string_view stdin_bytes,
          const std::vector<std::pair<std::string, std::string>>& env);
  bool read_some(int timeout_ms);

  pid_t pid_ = -1;
  int out_ = -1;
  int err_ = -1;
  Ended ended_;
};

}  // namespace berth::testing
