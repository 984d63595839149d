#pragma once

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/commands/host_commands.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

// What the tests of this folder share.
namespace berth::engine {

using Kind = CommandOutcome::Kind;
using namespace std::chrono_literals;

/// A choice of kernel features with its name in test names.
struct FeatureSet {
  std::string name;
  os::Features features;
};

inline void PrintTo(const FeatureSet& set, std::ostream* out) { *out << set.name; }

inline std::vector<FeatureSet> feature_sets() {
  const auto all = os::Features::probe();
  auto no_pidfd = all;
  no_pidfd.pidfd = false;
  auto no_cgroup2 = all;
  no_cgroup2.cgroup2 = false;
  auto no_memfd_exec = all;
  no_memfd_exec.memfd_exec = false;
  return {{"all", all},
          {"no_pidfd", no_pidfd},
          {"no_cgroup2", no_cgroup2},
          {"no_memfd_exec", no_memfd_exec},
          {"none", os::Features::none()}};
}

inline std::string feature_name(const ::testing::TestParamInfo<FeatureSet>& info) { return info.param.name; }

/// Wait for a condition, at most 20 s.
template <typename Condition>
bool eventually(Condition condition) {
  const auto deadline = Deadline::after(20s);
  while (!condition()) {
    if (deadline.passed()) return false;
    ::poll(nullptr, 0, 1);
  }
  return true;
}

/// The shortest of several measured times: other programs of the machine may hold up any one.
template <typename Measure>
Clock::duration best_of(int attempts, Measure measure) {
  auto best = Clock::duration::max();
  for (int attempt = 0; attempt < attempts; ++attempt) best = std::min(best, Clock::duration(measure(attempt)));
  return best;
}

/// Whether a process runs: it exists and is no zombie.
inline bool is_alive(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text((std::istreambuf_iterator<char>(stat)), std::istreambuf_iterator<char>());
  const auto end = text.rfind(')');
  return end != std::string::npos && end + 2 < text.size() && text[end + 2] != 'Z' && text[end + 2] != 'X';
}

inline std::size_t open_descriptors() {
  std::size_t count = 0;
  DIR* directory = opendir("/proc/self/fd");
  while (readdir(directory) != nullptr) ++count;
  closedir(directory);
  return count;
}

/// The children that any thread of a process started.
inline std::vector<pid_t> children_of(pid_t pid) {
  std::vector<pid_t> children;
  const std::string tasks = "/proc/" + std::to_string(pid) + "/task";
  DIR* directory = opendir(tasks.c_str());
  if (directory == nullptr) return children;
  while (const dirent* entry = readdir(directory)) {
    std::ifstream file(tasks + "/" + entry->d_name + "/children");
    for (pid_t child = 0; file >> child;) children.push_back(child);
  }
  closedir(directory);
  return children;
}

/// The command's tree tests read pids that the command wrote to files.
inline pid_t read_pid(const testing::TempDir& directory, const std::string& file) {
  pid_t pid = 0;
  EXPECT_TRUE(eventually([&] {
    if (!directory.exists(file)) return false;
    pid = static_cast<pid_t>(std::atoi(directory.read(file).c_str()));
    return pid > 0;
  })) << file;
  return pid;
}

class CommandsTest : public ::testing::TestWithParam<FeatureSet> {
 protected:
  void SetUp() override { make({}); }

  void make(CommandOptions options) {
    auto root = os::Root::open({directory_.path()}, {.features = GetParam().features});
    ASSERT_THAT(root, testing::IsOk());
    commands_.reset();
    commands_ = make_host_commands(*root, std::move(options));
  }

  static CommandSpec script(std::string text) {
    CommandSpec spec;
    spec.script = std::move(text);
    return spec;
  }
  static CommandSpec words(std::vector<std::string> argv) {
    CommandSpec spec;
    spec.argv = std::move(argv);
    return spec;
  }

  Result<CommandOutcome> try_run(const CommandSpec& spec, const Call& call = {}, OutputSink* sink = nullptr) {
    return commands_->run(call, spec, sink);
  }
  CommandOutcome run(const CommandSpec& spec, const Call& call = {}, OutputSink* sink = nullptr) {
    auto outcome = try_run(spec, call, sink);
    EXPECT_THAT(outcome, testing::IsOk());
    return outcome ? *std::move(outcome) : CommandOutcome{};
  }

  static Path path(std::string_view text) { return *parse_path(text, {}); }

  testing::TempDir directory_;
  std::unique_ptr<CommandRunner> commands_;
};

/// An outcome without its durations, to compare whole.
inline CommandOutcome timeless(CommandOutcome outcome) {
  outcome.duration = {};
  return outcome;
}

inline CommandOutcome exited(int code, std::string out = "", std::string err = "") {
  CommandOutcome outcome;
  outcome.kind = Kind::exited;
  outcome.exit_code = code;
  outcome.out = {.head = out, .tail = "", .total_bytes = static_cast<std::int64_t>(out.size())};
  outcome.err = {.head = err, .tail = "", .total_bytes = static_cast<std::int64_t>(err.size())};
  return outcome;
}

}  // namespace berth::engine

namespace berth {

inline void PrintTo(const CommandOutcome& outcome, std::ostream* stream) {
  *stream << "kind " << static_cast<int>(outcome.kind) << " code " << outcome.exit_code << " signal " << outcome.signal
          << " reason \"" << outcome.reason << "\" out \"" << outcome.out.head.substr(0, 400) << "\"+"
          << outcome.out.total_bytes << " err \"" << outcome.err.head.substr(0, 400) << "\" survivors "
          << outcome.survivors;
}

}  // namespace berth
