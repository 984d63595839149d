#include "store/call_mutex.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "testing/matchers.h"

namespace berth::store {
namespace {

using namespace std::chrono_literals;
using testing::FailsWith;

TEST(CallMutex, waits_no_longer_than_the_deadline) {
  CallMutex mutex;
  const auto held = mutex.lock(Call{});
  EXPECT_THAT(mutex.lock(Call{.deadline = Deadline::after(5ms)}), FailsWith(ErrorCode::timed_out));
}

TEST(CallMutex, waits_no_longer_than_the_stop) {
  CallMutex mutex;
  std::stop_source stop;
  const auto held = mutex.lock(Call{});
  std::thread waiter([&] { EXPECT_THAT(mutex.lock(Call{.stop = stop.get_token()}), FailsWith(ErrorCode::cancelled)); });
  stop.request_stop();
  waiter.join();
}

TEST(CallMutex, excludes_threads_from_each_other) {
  CallMutex mutex;
  int count = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 1000; ++j) {
        const auto guard = mutex.lock(Call{});
        ++count;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(count, 8000);
}

}  // namespace
}  // namespace berth::store
