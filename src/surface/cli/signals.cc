#include "surface/cli/signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace berth::cli {
namespace {

// A signal handler reaches nothing but globals.
std::atomic<int> signal_pipe{-1};
std::atomic<std::int64_t> first_signal_ms{0};

/// Two signals closer than this are one: timeout(1) signals its child and then the whole process group.
constexpr std::int64_t kOneSignalMs = 500;

std::int64_t now_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

void on_stop_signal(int) {
  const int saved = errno;
  std::int64_t first = 0;
  if (!first_signal_ms.compare_exchange_strong(first, now_ms()) && now_ms() - first > kOneSignalMs) _exit(130);
  const char byte = 's';
  [[maybe_unused]] const auto written = ::write(signal_pipe.load(), &byte, 1);
  errno = saved;
}

void on_broken_pipe(int) {}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

}  // namespace

void SignalWatch::start() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  reader_.reset(ends[0]);
  signal_pipe = ends[1];
  watcher_ = std::jthread([this] {
    char byte = 'q';
    while (::read(reader_.get(), &byte, 1) < 0 && errno == EINTR) {
    }
    if (byte == 's') source_.request_stop();
  });
  handle(SIGINT, on_stop_signal);
  handle(SIGTERM, on_stop_signal);
  handle(SIGPIPE, on_broken_pipe);
}

SignalWatch::~SignalWatch() {
  const int writer = signal_pipe.exchange(-1);
  if (writer < 0) return;
  // The end of the pipe lets the watcher go.
  ::close(writer);
  watcher_.join();
}

}  // namespace berth::cli
