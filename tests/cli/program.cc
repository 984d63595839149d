#include "tests/cli/program.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ostream>

namespace berth::testing {
namespace {

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::abort();
}

int status_of(int wait_status) {
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

int wait_for(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) fail("waitpid");
  }
  return status_of(status);
}

[[noreturn]] void become(const std::vector<std::string>& words) {
  // A shell that starts the tests in the background has them ignore it, and what is ignored stays so across exec.
  ::signal(SIGINT, SIG_DFL);
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (const auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  _exit(127);
}

// A file holds any amount of input without somebody who has to feed a pipe.
int input_of(std::string_view bytes) {
  const int file = memfd_create("stdin", MFD_CLOEXEC);
  if (file < 0 || ::write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) fail("memfd");
  if (lseek(file, 0, SEEK_SET) != 0) fail("lseek");
  return file;
}

// True until the end of the stream.
bool take(int& fd, std::string& text) {
  std::array<char, 65536> buffer;
  const ssize_t got = ::read(fd, buffer.data(), buffer.size());
  if (got > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
    return true;
  }
  if (got < 0 && errno == EINTR) return true;
  ::close(fd);
  fd = -1;
  return false;
}

}  // namespace

void PrintTo(const Ended& ended, std::ostream* stream) {
  *stream << "status " << ended.status << "\nout: " << ended.out << "\nerr: " << ended.err;
}

Running::Running(const std::vector<std::string>& words) : Running(words, {}, {}) {}

Running::Running(const std::vector<std::string>& words, std::string_view stdin_bytes,
                 const std::vector<std::pair<std::string, std::string>>& env) {
  int out[2];
  int err[2];
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) fail("pipe");
  const int input = input_of(stdin_bytes);
  pid_ = fork();
  if (pid_ < 0) fail("fork");
  if (pid_ == 0) {
    dup2(input, STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    dup2(err[1], STDERR_FILENO);
    for (const auto& [name, value] : env) setenv(name.c_str(), value.c_str(), 1);
    become(words);
  }
  ::close(input);
  ::close(out[1]);
  ::close(err[1]);
  out_ = out[0];
  err_ = err[0];
}

Running::~Running() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    wait_for(pid_);
  }
  if (out_ >= 0) ::close(out_);
  if (err_ >= 0) ::close(err_);
}

bool Running::read_some(int timeout_ms) {
  std::array<pollfd, 2> fds = {{{out_, POLLIN, 0}, {err_, POLLIN, 0}}};
  if (out_ < 0 && err_ < 0) return false;
  const int ready = poll(fds.data(), fds.size(), timeout_ms);
  if (ready == 0) return false;
  if (fds[0].revents != 0) take(out_, ended_.out);
  if (fds[1].revents != 0) take(err_, ended_.err);
  return true;
}

bool Running::wait_for_output(std::string_view text) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (ended_.out.find(text) == std::string::npos) {
    if (std::chrono::steady_clock::now() > until || !read_some(1000)) return false;
  }
  return true;
}

void Running::signal(int number) const { kill(pid_, number); }

Ended Running::wait() {
  while (read_some(-1)) {
  }
  ended_.status = wait_for(pid_);
  pid_ = -1;
  return ended_;
}

Ended run_program(const std::vector<std::string>& words, std::string_view stdin_bytes,
                  const std::vector<std::pair<std::string, std::string>>& env) {
  return Running(words, stdin_bytes, env).wait();
}

Ended Berth::operator()(std::vector<std::string> words, std::string_view stdin_bytes) const {
  words.insert(words.begin(), {BERTH_PROGRAM, "-w", directory.path()});
  return run_program(words, stdin_bytes);
}

nlohmann::json Berth::json(std::vector<std::string> words, int expected_status, std::string_view stdin_bytes) const {
  words.insert(words.begin(), "--json");
  const auto ended = (*this)(std::move(words), stdin_bytes);
  auto object = nlohmann::json::parse(ended.out, nullptr, false);
  if (ended.status != expected_status || object.is_discarded() || !ended.err.empty()) {
    return {{"unexpected status", ended.status}, {"out", ended.out}, {"err", ended.err}};
  }
  return object;
}

Ended Berth::on_terminal(std::vector<std::string> words, std::string_view typed) const {
  words.insert(words.begin(), {BERTH_PROGRAM, "-w", directory.path()});
  int terminal = -1;
  const pid_t pid = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (pid < 0) fail("forkpty");
  if (pid == 0) {
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
    become(words);
  }
  if (::write(terminal, typed.data(), typed.size()) != static_cast<ssize_t>(typed.size())) fail("write");
  Ended ended;
  while (take(terminal, ended.out)) {
  }
  ended.status = wait_for(pid);
  return ended;
}

}  // namespace berth::testing
