#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace berth::mcp {

/// Threads for calls that take a while. They are started when they are needed, up to a bound, and then kept; what
/// finds none free waits its turn, up to a bound too. Safe from many threads.
class WorkerPool {
 public:
  struct Bounds {
    std::size_t threads = 64;
    std::size_t waiting = 1024;
  };

  explicit WorkerPool(Bounds bounds) : bounds_(bounds) {}
  /// Waits for everything that was posted.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Have it done by a thread, in the order posted; it must not throw. False: too much is waiting, it will not be done.
  [[nodiscard]] bool post(std::function<void()> work);

 private:
  void work();

  const Bounds bounds_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  std::size_t idle_ = 0;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace berth::mcp
