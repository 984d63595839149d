#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "surface/cli/console.h"

namespace berth::cli {

/// Shows on a terminal's standard error that something takes long: after a second, `doing … 3 s`, in one line that goes
/// away with the object. Does nothing when standard error is no terminal.
class Progress {
 public:
  Progress(const Console& console, std::string doing);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  void show(const std::stop_token& stop);

  std::string doing_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;
};

}  // namespace berth::cli
