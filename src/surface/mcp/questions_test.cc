#include "surface/mcp/questions.h"

#include <gtest/gtest.h>

#include <thread>

#include "surface/mcp/fake_tools_fixture.h"
#include "testing/matchers.h"

namespace berth::mcp {
namespace {

using testing::FailsWith;

const Question kRoots{"roots/list", Json::object()};
const Question kForm{"elicitation/create", {{"message", "?"}}};

struct Asking {
  explicit Asking(std::ptrdiff_t places = 8) : waiting(places), questions(waiting), reply(frames) {}

  std::counting_semaphore<> waiting;
  Questions questions;
  std::shared_ptr<Frames> frames = std::make_shared<Frames>();
  FramesReply reply;
};

TEST(Questions, an_answer_goes_to_who_asked_and_one_that_nobody_waits_for_is_passed_over) {
  Asking asking;
  asking.questions.answer({"berth-1", {{"roots", Json::array()}}, std::nullopt});
  std::thread client([&] {
    const auto frame = asking.frames->wait(1)[0];
    EXPECT_EQ(frame["method"], "roots/list");
    asking.questions.answer({7, Json::object(), std::nullopt});
    asking.questions.answer({"none", Json::object(), std::nullopt});
    asking.questions.answer({frame["id"], {{"roots", Json::array({"a"})}}, std::nullopt});
    asking.questions.answer({frame["id"], {{"roots", Json::array({"b"})}}, std::nullopt});
  });
  const auto answer = asking.questions.ask({}, kRoots, asking.reply);
  client.join();
  ASSERT_THAT(answer, testing::IsOk());
  EXPECT_EQ(*answer, Json({{"roots", Json::array({"a"})}}));
}

TEST(Questions, a_wait_ends_at_the_deadline_and_tells_the_client) {
  Asking asking;
  EXPECT_THAT(asking.questions.ask({.deadline = Deadline::after(std::chrono::milliseconds(20))}, kRoots, asking.reply),
              FailsWith(ErrorCode::timed_out));
  const auto frames = asking.frames->wait(2);
  EXPECT_EQ(frames[1]["method"], "notifications/cancelled");
  EXPECT_EQ(frames[1]["params"]["requestId"], frames[0]["id"]);
}

TEST(Questions, a_wait_ends_when_the_call_is_stopped) {
  Asking asking;
  std::stop_source stop;
  std::thread client([&] {
    asking.frames->wait(1);
    stop.request_stop();
  });
  EXPECT_THAT(asking.questions.ask({.stop = stop.get_token()}, kRoots, asking.reply), FailsWith(ErrorCode::cancelled));
  client.join();
}

TEST(Questions, too_many_that_wait_are_refused_at_once) {
  Asking asking(0);
  EXPECT_THAT(asking.questions.ask({}, kRoots, asking.reply), FailsWith(ErrorCode::rate_limited));
}

TEST(Questions, an_error_or_another_shape_is_no_answer) {
  for (const auto& [response, code] :
       {std::pair{Response{{}, {}, RpcError{-1, "no dialog", {}}}, ErrorCode::unavailable},
        {Response{{}, {{"roots", 3}}, std::nullopt}, ErrorCode::protocol}}) {
    Asking asking;
    std::thread client([&, answer = response]() mutable {
      answer.id = asking.frames->wait(1)[0]["id"];
      asking.questions.answer(std::move(answer));
    });
    EXPECT_THAT(asking.questions.ask({}, kRoots, asking.reply), FailsWith(code));
    client.join();
  }
}

TEST(Questions, elicitation_is_asked_of_who_offers_forms) {
  EXPECT_TRUE(covers(Json::parse(R"({"elicitation": {}})"), kForm));
  EXPECT_TRUE(covers(Json::parse(R"({"elicitation": {"form": {}, "url": {}}})"), kForm));
  EXPECT_FALSE(covers(Json::parse(R"({"elicitation": {"url": {}}})"), kForm));
  EXPECT_FALSE(covers(Json::parse(R"({"elicitation": true})"), kForm));
  EXPECT_FALSE(covers(Json::parse(R"({"sampling": {}})"), kForm));
  EXPECT_TRUE(covers(Json::parse(R"({"roots": {"listChanged": true}})"), kRoots));
  EXPECT_FALSE(covers(Json(), kRoots));
}

TEST(Questions, an_answer_has_the_shape_that_its_question_wants) {
  EXPECT_TRUE(is_answer(Json::parse(R"({"action": "decline"})"), kForm));
  EXPECT_TRUE(is_answer(Json::parse(R"({"action": "accept", "content": {"a": 1}})"), kForm));
  for (const char* wrong : {R"({"action": "maybe"})", R"({"action": 1})", "{}", "12345", "null", R"(["accept"])",
                            R"({"action": "accept", "content": "x"})"}) {
    EXPECT_FALSE(is_answer(Json::parse(wrong), kForm)) << wrong;
  }
}

TEST(RequestStates, a_state_is_good_for_one_answer_to_its_question) {
  RequestStates states(8, std::chrono::minutes(1));
  const auto state = states.add("write a");
  ASSERT_TRUE(state.has_value());
  EXPECT_FALSE(states.take(*state, "write b"));
  EXPECT_FALSE(states.take(*state + "0", "write a"));
  EXPECT_TRUE(states.take(*state, "write a"));
  EXPECT_FALSE(states.take(*state, "write a"));
}

TEST(RequestStates, the_oldest_of_too_many_and_what_is_too_old_are_forgotten) {
  RequestStates few(2, std::chrono::minutes(1));
  const auto first = few.add("q");
  const auto second = few.add("q");
  const auto third = few.add("q");
  EXPECT_FALSE(few.take(*first, "q"));
  EXPECT_TRUE(few.take(*second, "q"));
  EXPECT_TRUE(few.take(*third, "q"));
  RequestStates brief(8, std::chrono::milliseconds(-1));
  EXPECT_FALSE(brief.take(*brief.add("q"), "q"));
}

}  // namespace
}  // namespace berth::mcp
