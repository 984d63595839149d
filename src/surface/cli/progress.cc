#include "surface/cli/progress.h"

#include <chrono>
#include <cstdio>

#include <fmt/format.h>

namespace berth::cli {

Progress::Progress(const Console& console, std::string doing) : doing_(std::move(doing)) {
  if (console.err_is_terminal()) thread_ = std::jthread([this](const std::stop_token& stop) { show(stop); });
}

Progress::~Progress() = default;

void Progress::show(const std::stop_token& stop) {
  bool shown = false;
  std::unique_lock lock(mutex_);
  for (int second = 1; !stop.stop_requested(); ++second) {
    wake_.wait_for(lock, stop, std::chrono::seconds(1), [] { return false; });
    if (stop.stop_requested()) break;
    fmt::print(stderr, "\r{} … {} s", doing_, second);
    std::fflush(stderr);
    shown = true;
  }
  if (shown) {
    fmt::print(stderr, "\r\x1b[K");
    std::fflush(stderr);
  }
}

}  // namespace berth::cli
