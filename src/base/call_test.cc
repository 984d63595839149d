#include "base/call.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

using namespace std::chrono_literals;

TEST(Deadline, NeverHasNoEnd) {
  EXPECT_FALSE(Deadline::never().passed());
  EXPECT_EQ(Deadline::never().poll_timeout_ms(), -1);
  EXPECT_TRUE(Deadline::after(std::chrono::nanoseconds::max()).is_never());
}

TEST(Deadline, APassedOneHasNothingLeft) {
  const auto deadline = Deadline::after(-1s);
  EXPECT_TRUE(deadline.passed());
  EXPECT_EQ(deadline.poll_timeout_ms(), 0);
}

TEST(Deadline, PollTimeoutIsRoundedUpAndFitsAnInt) {
  EXPECT_GE(Deadline::after(1ns).poll_timeout_ms(), 0);
  EXPECT_EQ(Deadline::after(std::chrono::hours(24 * 3650)).poll_timeout_ms(), std::numeric_limits<int>::max());
}

TEST(Call, CheckTellsCancellationFromAPassedDeadline) {
  std::stop_source source;
  Call call{Deadline::never(), source.get_token(), {}};
  EXPECT_TRUE(call.check());
  EXPECT_EQ(call.until(Deadline::after(0s)).check().error().code, ErrorCode::timed_out);
  source.request_stop();
  EXPECT_EQ(call.check().error().code, ErrorCode::cancelled);
}

}  // namespace
}  // namespace berth
