#include "engine/commands/run_ids.h"

#include <atomic>
#include <latch>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "testing/matchers.h"

namespace berth::engine {
namespace {

using namespace std::chrono_literals;
using testing::FailsWith;
using testing::IsOk;

CommandOutcome exited(int code, Bytes out = {}) {
  CommandOutcome outcome;
  outcome.kind = CommandOutcome::Kind::exited;
  outcome.exit_code = code;
  outcome.out.head = std::move(out);
  return outcome;
}

TEST(RunIds, C_RUN_7_the_first_outcome_is_returned_to_all) {
  RunIds ids;
  int runs = 0;
  const auto run = [&]() -> Result<CommandOutcome> { return exited(++runs); };
  EXPECT_EQ(*ids.once({}, "a", run), exited(1));
  EXPECT_EQ(*ids.once({}, "a", run), exited(1));
  EXPECT_EQ(*ids.once({}, "b", run), exited(2));
}

TEST(RunIds, C_RUN_7_a_request_that_failed_may_be_repeated) {
  RunIds ids;
  EXPECT_THAT(ids.once({}, "a", []() -> Result<CommandOutcome> { return make_error(ErrorCode::not_found, "no"); }),
              FailsWith(ErrorCode::not_found));
  EXPECT_THAT(ids.once({}, "a", []() -> Result<CommandOutcome> { return exited(0); }), IsOk());
}

TEST(RunIds, C_RUN_7_a_run_left_by_an_exception_may_be_repeated) {
  RunIds ids;
  EXPECT_THROW((void)ids.once({}, "a", []() -> Result<CommandOutcome> { throw std::runtime_error("no"); }),
               std::runtime_error);
  EXPECT_THAT(ids.once({}, "a", []() -> Result<CommandOutcome> { return exited(0); }), IsOk());
}

TEST(RunIds, C_RUN_7_one_of_many_at_once_runs) {
  RunIds ids;
  std::atomic<int> runs = 0;
  std::latch all(16);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 16; ++i) {
      threads.emplace_back([&] {
        all.arrive_and_wait();
        EXPECT_EQ(*ids.once({}, "a", [&]() -> Result<CommandOutcome> { return exited(++runs); }), exited(1));
      });
    }
  }
  EXPECT_EQ(runs, 1);
}

TEST(RunIds, C_VAL_2_waiting_honours_the_call) {
  RunIds ids;
  std::latch running(1);
  std::latch finish(1);
  std::jthread first([&] {
    (void)ids.once({}, "a", [&]() -> Result<CommandOutcome> {
      running.count_down();
      finish.wait();
      return exited(0);
    });
  });
  running.wait();
  const auto never = []() -> Result<CommandOutcome> { return exited(99); };
  EXPECT_THAT(ids.once({.deadline = Deadline::after(10ms)}, "a", never), FailsWith(ErrorCode::timed_out));
  std::stop_source source;
  std::jthread stopper([&] { source.request_stop(); });
  EXPECT_THAT(ids.once({.stop = source.get_token()}, "a", never), FailsWith(ErrorCode::cancelled));
  finish.count_down();
  EXPECT_EQ(*ids.once({}, "a", never), exited(0));
}

TEST(RunIds, The_oldest_are_forgotten_beyond_the_bounds) {
  RunIds ids(2, 100);
  int runs = 0;
  const auto run = [&](std::string id, std::size_t bytes) {
    return ids.once({}, id, [&]() -> Result<CommandOutcome> { return exited(++runs, Bytes(bytes, 'x')); })->exit_code;
  };
  EXPECT_EQ(run("a", 0), 1);
  EXPECT_EQ(run("b", 0), 2);
  EXPECT_EQ(run("c", 0), 3);
  EXPECT_EQ(run("b", 0), 2);
  EXPECT_EQ(run("a", 0), 4);
  EXPECT_EQ(run("large", 90), 5);
  EXPECT_EQ(run("larger", 95), 6);
  EXPECT_EQ(run("large", 0), 7);
  EXPECT_EQ(run("too large", 1000), 8);
  EXPECT_EQ(run("too large", 0), 9);
}

}  // namespace
}  // namespace berth::engine
