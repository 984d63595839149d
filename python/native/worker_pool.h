#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace berth::python {

/// Threads that run calls nobody wants to wait for. As many as there are calls at once, because one call may wait for
/// what another one does; a thread without work ends after ten seconds. Knows nothing of Python.
class WorkerPool final {
 public:
  WorkerPool() = default;
  /// Waits for the calls that still run.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Run `work`, which may not throw, on a thread of the pool. False when no thread can be made.
  bool submit(std::function<void()> work);

 private:
  struct Worker {
    std::condition_variable wake;
    std::function<void()> work;
    std::thread thread;
    bool ends = false;
  };

  void serve(Worker& self);
  void join_ended();

  std::mutex mutex_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Worker*> idle_;  // the one that ran last is taken first: its memory is warm
  bool closed_ = false;
};

}  // namespace berth::python
