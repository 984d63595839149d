#include "bench/spawn.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "bench/harness.h"

extern char** environ;

namespace berth::bench {

void spawn_and_wait(const char* program) {
  pid_t child = 0;
  char* const words[] = {const_cast<char*>(program), nullptr};
  require(::posix_spawn(&child, program, nullptr, nullptr, words, environ) == 0, program);
  int status = 0;
  require(::waitpid(child, &status, 0) == child && status == 0, program);
}

namespace {

std::int64_t lines_of(const std::string& directory, const std::vector<std::string>& words, char* const* environment) {
  int ends[2];
  require(::pipe2(ends, O_CLOEXEC) == 0, "pipe2");
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, directory.c_str());
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  pid_t child = 0;
  require(::posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environment) == 0, words[0]);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::int64_t lines = 0;
  static char buffer[256 * 1024];
  for (;;) {
    const ssize_t got = ::read(ends[0], buffer, sizeof buffer);
    require(got >= 0, "read");
    if (got == 0) break;
    lines += std::count(buffer, buffer + got, '\n');
  }
  ::close(ends[0]);
  int status = 0;
  require(::waitpid(child, &status, 0) == child && status == 0, words[0]);
  return lines;
}

}  // namespace

std::int64_t lines_of_program(const std::string& directory, const std::vector<std::string>& words) {
  return lines_of(directory, words, environ);
}

std::int64_t lines_of_program(const std::string& directory, const std::vector<std::string>& words,
                              const std::vector<std::string>& environment) {
  std::vector<char*> variables;
  for (const std::string& variable : environment) variables.push_back(const_cast<char*>(variable.c_str()));
  variables.push_back(nullptr);
  return lines_of(directory, words, variables.data());
}

}  // namespace berth::bench
