#include "worker_pool.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <system_error>
#include <utility>

namespace berth::python {
namespace {

constexpr std::chrono::seconds kIdle{10};

}  // namespace

WorkerPool::~WorkerPool() {
  std::vector<std::unique_ptr<Worker>> workers;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    for (const auto& worker : workers_) worker->wake.notify_one();
    workers.swap(workers_);
  }
  for (const auto& worker : workers) worker->thread.join();
}

void WorkerPool::join_ended() {
  std::erase_if(workers_, [](const std::unique_ptr<Worker>& worker) {
    if (!worker->ends) return false;
    worker->thread.join();  // it holds no lock any more and has nothing left to do
    return true;
  });
}

bool WorkerPool::submit(std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  if (closed_) return false;
  if (!idle_.empty()) {
    Worker* const worker = idle_.back();
    idle_.pop_back();
    worker->work = std::move(work);
    worker->wake.notify_one();
    return true;
  }
  join_ended();
  auto worker = std::make_unique<Worker>();
  worker->work = std::move(work);
  // Signals are for the threads of the program.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = true;
  try {
    worker->thread = std::thread([this, self = worker.get()] { serve(*self); });
    workers_.push_back(std::move(worker));
  } catch (const std::system_error&) {
    started = false;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

void WorkerPool::serve(Worker& self) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (self.work) {
      auto work = std::exchange(self.work, nullptr);
      lock.unlock();
      work();
      work = nullptr;
      lock.lock();
      if (!closed_) idle_.push_back(&self);
      continue;
    }
    if (closed_) break;
    const bool woken = self.wake.wait_for(lock, kIdle, [&] { return self.work != nullptr || closed_; });
    if (!woken) {
      std::erase(idle_, &self);
      self.ends = true;
      return;
    }
  }
}

}  // namespace berth::python
