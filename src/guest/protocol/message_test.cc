#include "guest/protocol/message.h"

#include <gtest/gtest.h>

#include "testing/matchers.h"

namespace berth::guest {
namespace {

using testing::FailsWith;
using testing::IsOk;

TEST(Message, IsPutTogetherAndCounted) {
  Inbox inbox;
  EXPECT_THAT(inbox.add("ab"), IsOk());
  EXPECT_THAT(inbox.hold(5), IsOk());
  EXPECT_THAT(inbox.add("c"), IsOk());
  EXPECT_THAT(inbox.finish(8), IsOk());
  EXPECT_EQ(inbox.take_message(), "abc");
}

TEST(Message, BytesThatWereLostAreNoticedAtTheEnd) {
  Inbox inbox;
  EXPECT_THAT(inbox.add("abc"), IsOk());
  EXPECT_THAT(inbox.finish(4), FailsWith(ErrorCode::protocol));
}

TEST(Credit, MoreThanWasGrantedIsRefused) {
  Inbox inbox;
  EXPECT_THAT(inbox.add(Bytes(kWindow, 'x')), IsOk());
  EXPECT_THAT(inbox.add("x"), FailsWith(ErrorCode::protocol));
}

TEST(Credit, IsGivenBackForWhatWasTakenAndNotForWhatIsHeld) {
  Inbox inbox;
  EXPECT_THAT(inbox.add("x"), IsOk());
  EXPECT_EQ(inbox.take_credit(), 0U) << "not worth a frame";
  EXPECT_THAT(inbox.add(Bytes(kWindow / 2 - 1, 'x')), IsOk());
  EXPECT_EQ(inbox.take_credit(), kWindow / 2);
  EXPECT_THAT(inbox.hold(kWindow), IsOk());
  EXPECT_EQ(inbox.take_credit(), 0U);
  EXPECT_THAT(inbox.hold(1), FailsWith(ErrorCode::protocol));
  inbox.release(kWindow);
  EXPECT_EQ(inbox.take_credit(), kWindow);
  EXPECT_THAT(inbox.hold(1), IsOk());
}

TEST(Credit, OfASenderIsUsedUpAndGrantedAgain) {
  Outbox outbox(10);
  EXPECT_EQ(outbox.open(), 10U);
  outbox.sent(7);
  EXPECT_EQ(outbox.open(), 3U);
  EXPECT_THAT(outbox.grant(7), IsOk());
  EXPECT_EQ(outbox.open(), 10U);
  EXPECT_EQ(outbox.count(), 7U);
  EXPECT_THAT(outbox.grant(1), FailsWith(ErrorCode::protocol)) << "nothing was sent that it could be for";
}

}  // namespace
}  // namespace berth::guest
