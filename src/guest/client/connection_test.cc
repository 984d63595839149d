#include "guest/client/connection.h"

#include <poll.h>

#include "guest/client/guest_fixture.h"

namespace berth::guest {
namespace {

using testing::FailsWith;
using testing::IsOk;
using namespace std::chrono_literals;

Result<Connection::Answer> ask(Connection& connection, const Call& call) {
  return connection.exchange(call, {.method = Method::ensure});
}

/// A connection to somebody who greets well, and then acts.
std::shared_ptr<Connection> greeted(Pretender& guest) {
  auto connection = Connection::open(soon(), guest.channel());
  EXPECT_THAT(connection, IsOk());
  return connection ? *connection : nullptr;
}

Bytes answer(std::uint64_t stream, BytesView message, std::uint64_t count) {
  Bytes tail;
  append_u64(tail, count);
  Bytes frame;
  append_frame(frame, FrameKind::response, kFinal, stream, BytesView("\0", 1), message, tail);
  return frame;
}

TEST(Greeting, OfAnotherVersionIsProtocolAndNamesBoth) {
  Pretender guest([](int, int out) {
    Bytes frame;
    append_frame(frame, FrameKind::hello, 0, 0, encode_hello({.oldest = 900, .newest = 901}));
    say(out, frame);
  });
  const auto connection = Connection::open(soon(), guest.channel());
  ASSERT_THAT(connection, FailsWith(ErrorCode::protocol));
  EXPECT_EQ(*connection.error().field("their_versions"), ErrorField::Value("900 to 901"));
}

TEST(Greeting, ThatNeverComesIsTimedOut) {
  Pretender guest([](int in, int) {
    FrameParser parser;
    hear(in, FrameKind::cancel, parser);
  });
  const auto begin = Clock::now();
  EXPECT_THAT(Connection::open(within(50ms), guest.channel()), FailsWith(ErrorCode::timed_out));
  EXPECT_LT(Clock::now() - begin, 100ms + kSlack);
}

TEST(Greeting, OfAShellThatComplainsIsProtocol) {
  Pretender guest([](int, int out) { say(out, "sh: 1: berth-guest: not found, or not for this machine\n"); });
  EXPECT_THAT(Connection::open(soon(), guest.channel()), FailsWith(ErrorCode::protocol));
}

TEST(Greeting, OfAGuestThatEndsAtOnceIsEnvironmentGone) {
  Pretender guest([](int, int) {});
  EXPECT_THAT(Connection::open(soon(), guest.channel()), FailsWith(ErrorCode::environment_gone));
}

TEST(Answers, AStreamThatEndsFailsEveryCallAtWorkAndEveryLaterOne) {
  Pretender guest([](int in, int out) {
    say(out, greeting());
    FrameParser parser;
    for (int i = 0; i < 4; ++i) hear(in, FrameKind::request, parser);
  });
  const auto connection = greeted(guest);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] { EXPECT_THAT(ask(*connection, soon()), FailsWith(ErrorCode::environment_gone)); });
    }
  }
  EXPECT_THAT(ask(*connection, soon()), FailsWith(ErrorCode::environment_gone));
}

TEST(Answers, ATruncatedOneIsEnvironmentGone) {
  Pretender guest([](int in, int out) {
    say(out, greeting());
    FrameParser parser;
    hear(in, FrameKind::request, parser);
    const auto whole = answer(1, "message", 7);
    say(out, BytesView(whole).substr(0, whole.size() - 3));
  });
  const auto connection = greeted(guest);
  const auto failed = ask(*connection, soon());
  ASSERT_THAT(failed, FailsWith(ErrorCode::environment_gone));
  EXPECT_EQ(*failed.error().field("reason"), ErrorField::Value("its stream ended within a frame"));
}

TEST(Answers, BytesThatWereLostAreProtocol) {
  Pretender guest([](int in, int out) {
    say(out, greeting());
    FrameParser parser;
    hear(in, FrameKind::request, parser);
    say(out, answer(1, "messag", 7));
    hear(in, FrameKind::cancel, parser);
  });
  const auto connection = greeted(guest);
  EXPECT_THAT(ask(*connection, soon()), FailsWith(ErrorCode::protocol));
  EXPECT_THAT(ask(*connection, soon()), FailsWith(ErrorCode::protocol)) << "a broken connection stays broken";
}

TEST(Answers, GarbageIsProtocol) {
  Pretender guest([](int in, int out) {
    say(out, greeting());
    FrameParser parser;
    hear(in, FrameKind::request, parser);
    say(out, Bytes(4096, '\xee'));
    hear(in, FrameKind::cancel, parser);
  });
  EXPECT_THAT(ask(*greeted(guest), soon()), FailsWith(ErrorCode::protocol));
}

TEST(Answers, ToNobodyAreProtocolAndToACallThatWasGivenUpAreDropped) {
  Pretender guest([](int in, int out) {
    say(out, greeting());
    FrameParser parser;
    hear(in, FrameKind::cancel, parser);  // of call 1
    say(out, answer(1, "late", 4));
    hear(in, FrameKind::request, parser);  // of call 2
    say(out, answer(2, "fine", 4));
    hear(in, FrameKind::request, parser);
    say(out, answer(900, "?", 1));
    hear(in, FrameKind::cancel, parser);
  });
  const auto connection = greeted(guest);
  EXPECT_THAT(ask(*connection, within(20ms)), FailsWith(ErrorCode::timed_out));
  const auto second = ask(*connection, soon());
  ASSERT_THAT(second, IsOk());
  EXPECT_EQ(second->message, "fine");
  EXPECT_THAT(ask(*connection, soon()), FailsWith(ErrorCode::protocol));
}

TEST(Answers, OneThatDoesNotComeAfterAStopIsCancelled) {
  Pretender guest([](int in, int out) {
    say(out, greeting());
    FrameParser parser;
    hear(in, FrameKind::hello, parser);
    hear(in, FrameKind::response, parser);
  });
  const auto connection = greeted(guest);
  std::stop_source stop;
  const std::jthread stopper([&] { stop.request_stop(); });
  const auto begin = Clock::now();
  EXPECT_THAT(connection->exchange({Deadline::never(), stop.get_token(), {}},
                                   {.method = Method::ensure, .cancel_patience = 50ms}),
              FailsWith(ErrorCode::cancelled));
  EXPECT_LT(Clock::now() - begin, 100ms + kSlack);
}

TEST(Requests, BeyondWhatTheGuestServesAtOnceWaitForTheirTurn) {
  Pretender guest([](int in, int out) {
    Bytes frame;
    append_frame(frame, FrameKind::hello, 0, 0, encode_hello({.streams = 1}));
    say(out, frame);
    FrameParser parser;
    for (std::uint64_t stream = 1; stream <= 8; ++stream) {
      if (!hear(in, FrameKind::request, parser)) return;
      const auto another = parser.next();
      EXPECT_TRUE(another && !*another) << "a second one was sent before the first was answered";
      say(out, answer(stream, "fine", 4));
    }
  });
  const auto connection = greeted(guest);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] { EXPECT_THAT(ask(*connection, soon()), IsOk()); });
  }
}

TEST(Requests, ToAGuestThatReadsNothingAreTimedOutAndTakeNoMemoryForEver) {
  Pretender guest([](int, int out) {
    say(out, greeting());
    char byte = 0;
    // Until the client has gone, without reading what it says.
    while (::recv(out, &byte, 1, MSG_PEEK) > 0) {
      pollfd gone{out, POLLRDHUP, 0};
      if (::poll(&gone, 1, 20) > 0) return;
    }
  });
  const auto connection = greeted(guest);
  const Bytes large(3 * kWindow, 'x');
  for (int i = 0; i < 5; ++i) {
    EXPECT_THAT(connection->exchange(within(20ms), {.method = Method::write, .message = large}),
                FailsWith(ErrorCode::timed_out));
  }
}

}  // namespace
}  // namespace berth::guest
