#include "store/call_mutex.h"

namespace berth::store {

Result<CallMutex::Guard> CallMutex::lock(const Call& call) {
  BERTH_CHECK(call.check());
  std::unique_lock lock(guard_);
  const auto is_free = [this] { return !held_; };
  const bool free = call.deadline.is_never() ? freed_.wait(lock, call.stop, is_free)
                                             : freed_.wait_until(lock, call.stop, call.deadline.when(), is_free);
  if (!free) {
    BERTH_CHECK(call.check());
    return make_error(ErrorCode::timed_out, "the call's deadline passed");
  }
  held_ = true;
  return Guard(*this);
}

void CallMutex::unlock() {
  {
    const std::lock_guard lock(guard_);
    held_ = false;
  }
  freed_.notify_one();
}

}  // namespace berth::store
