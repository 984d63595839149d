#pragma once

#include <condition_variable>
#include <mutex>
#include <utility>

#include "base/call.h"
#include "base/result.h"

namespace berth::store {

/// Exclusion between threads that is waited for no longer than the call allows. Not recursive.
class CallMutex {
 public:
  class Guard {
   public:
    Guard(Guard&& other) noexcept : mutex_(std::exchange(other.mutex_, nullptr)) {}
    Guard& operator=(Guard&&) = delete;
    ~Guard() {
      if (mutex_ != nullptr) mutex_->unlock();
    }

   private:
    friend class CallMutex;
    explicit Guard(CallMutex& mutex) noexcept : mutex_(&mutex) {}

    CallMutex* mutex_;
  };

  /// Wait for the mutex; held until the guard goes. Errors: `timed_out`, `cancelled`, also when it is free but the call
  /// is over.
  Result<Guard> lock(const Call& call);

 private:
  void unlock();

  std::mutex guard_;
  std::condition_variable_any freed_;
  bool held_ = false;
};

}  // namespace berth::store
