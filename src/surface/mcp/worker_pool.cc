#include "surface/mcp/worker_pool.h"

#include <system_error>
#include <utility>

namespace berth::mcp {

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  for (auto& thread : threads_) thread.join();
}

bool WorkerPool::post(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (ending_ || waiting_.size() >= bounds_.waiting) return false;
    if (waiting_.size() >= idle_ && threads_.size() < bounds_.threads) {
      try {
        threads_.emplace_back([this] { this->work(); });
      } catch (const std::system_error&) {
        // The threads there are do it, later.
        if (threads_.empty()) return false;
      }
    }
    waiting_.push_back(std::move(work));
  }
  changed_.notify_one();
  return true;
}

void WorkerPool::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    --idle_;
    if (waiting_.empty()) return;
    auto work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    work();
    // What it holds on to may be large: let it go before waiting.
    work = nullptr;
    lock.lock();
  }
}

}  // namespace berth::mcp
