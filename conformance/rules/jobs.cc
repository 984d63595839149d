#include <signal.h>

#include <thread>

#include <gtest/gtest.h>

#include "conformance/rules.h"

namespace berth::conformance {
namespace {

using testing::FailsWith;
using testing::IsOk;
using namespace std::chrono_literals;

/// Rules about jobs. Where there are none, each asserts the refusal.
class Jobs : public Rules {
 protected:
  void TearDown() override {
    if (can_start()) {
      if (const auto jobs = workspace().list_jobs(soon())) {
        for (const auto& job : *jobs) EXPECT_THAT(workspace().stop_job(soon(), job.id, 0ms), IsOk());
      }
    }
    Rules::TearDown();
  }

  bool can_start() const { return subject().capabilities.jobs; }

  static JobSpec job(std::string_view text) {
    JobSpec spec;
    spec.command = script(text);
    return spec;
  }

  JobInfo start(const JobSpec& spec) {
    auto started = workspace().start_job(soon(), spec);
    EXPECT_THAT(started, IsOk());
    return started ? std::move(started).value() : JobInfo();
  }

  JobInfo wait(Workspace& by, const JobId& id) {
    auto ended = by.wait_job(soon(), id);
    EXPECT_THAT(ended, IsOk());
    return ended ? std::move(ended).value() : JobInfo();
  }

  /// Follow a stream to its end.
  static Bytes follow(Workspace& by, const JobId& id, std::int64_t offset = 0) {
    Bytes all;
    while (true) {
      const auto page =
          by.read_job(soon(), id, {.stream = JobStream::out, .offset = offset, .max_bytes = 7, .wait = 20s});
      EXPECT_THAT(page, IsOk());
      if (!page) return all;
      EXPECT_EQ(page->dropped_bytes, 0);
      all += page->content;
      offset = page->next_offset;
      if (page->ended) return all;
    }
  }
};
INSTANTIATE_TEST_SUITE_P(, Jobs, ::testing::ValuesIn(subjects()),
                         [](const auto& parameter) { return parameter.param.name; });

#define REQUIRE_JOBS() \
  if (!can_start()) return expect_refused(workspace().start_job(soon(), job("exit 0")))

TEST_P(Jobs, C_RUN_8_what_is_not_offered_is_refused) {
  EXPECT_EQ(workspace().capabilities().jobs, can_start());
  if (can_start()) return;
  const JobId id{"some-job"};
  expect_refused(workspace().start_job(soon(), job("exit 0")));
  expect_refused(workspace().list_jobs(soon()));
  expect_refused(workspace().job(soon(), id));
  expect_refused(workspace().read_job(soon(), id));
  expect_refused(workspace().write_job_stdin(soon(), id, "x"));
  expect_refused(workspace().close_job_stdin(soon(), id));
  expect_refused(workspace().signal_job(soon(), id, SIGTERM));
  expect_refused(workspace().stop_job(soon(), id));
  expect_refused(workspace().wait_job(soon(), id));
  expect_refused(workspace().resize_job(soon(), id, {}));
  expect_refused(workspace().forget_job(soon(), id));
}

TEST_P(Jobs, C_RUN_8_start_returns_at_once_and_another_handle_finds_the_job) {
  REQUIRE_JOBS();
  auto spec = job("echo begin; read line; echo \"$line\"; echo oops >&2; exit 3");
  spec.name = "greeter";
  const auto started = start(spec);
  EXPECT_EQ(started.state, JobState::running);
  const auto other = environment().open();
  const auto listed = other->list_jobs(soon());
  ASSERT_THAT(listed, IsOk());
  ASSERT_EQ(listed->size(), 1U);
  EXPECT_EQ(listed->front().id, started.id);
  EXPECT_EQ(listed->front().name, "greeter");
  EXPECT_EQ(listed->front().script, spec.command.script);
  EXPECT_THAT(other->write_job_stdin(soon(), started.id, "from another\n"), IsOk());
  EXPECT_EQ(follow(*other, started.id), "begin\nfrom another\n");
  const auto ended = wait(*other, started.id);
  EXPECT_EQ(ended.state, JobState::exited);
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_EQ(other->read_job(soon(), started.id, {.stream = JobStream::err})->content, "oops\n");
  EXPECT_EQ(wait(workspace(), started.id), ended);
}

TEST_P(Jobs, C_RUN_8_a_job_outlives_the_handle_that_started_it) {
  REQUIRE_JOBS();
  JobId id;
  {
    const auto first = environment().open();
    const auto started = first->start_job(soon(), job("read line; echo \"$line\""));
    ASSERT_THAT(started, IsOk());
    id = started->id;
  }
  EXPECT_EQ(workspace().job(soon(), id)->state, JobState::running);
  EXPECT_THAT(workspace().write_job_stdin(soon(), id, "still here\n", StdinEnd::close), IsOk());
  EXPECT_EQ(follow(workspace(), id), "still here\n");
}

TEST_P(Jobs, C_RUN_8_output_is_read_and_followed_from_any_offset) {
  REQUIRE_JOBS();
  const auto started = start(job("printf 0123456789; read x; printf abcdef"));
  std::vector<Bytes> followed(3);
  {
    std::vector<std::jthread> readers;
    for (std::size_t i = 0; i < followed.size(); ++i) {
      const auto page = workspace().read_job(soon(), started.id, {.wait = 20s});
      ASSERT_THAT(page, IsOk());
      readers.emplace_back(
          [&, i] { followed[i] = follow(*environment().open(), started.id, static_cast<std::int64_t>(i)); });
    }
    EXPECT_THAT(workspace().close_job_stdin(soon(), started.id), IsOk());
  }
  EXPECT_EQ(followed[0], "0123456789abcdef");
  EXPECT_EQ(followed[1], "123456789abcdef");
  EXPECT_EQ(followed[2], "23456789abcdef");
  const auto at_end = workspace().read_job(soon(), started.id, {.offset = 16});
  ASSERT_THAT(at_end, IsOk());
  EXPECT_EQ(*at_end, (JobOutput{.content = "", .offset = 16, .next_offset = 16, .total_bytes = 16, .ended = true}));
  const auto past = workspace().read_job(soon(), started.id, {.offset = 17});
  ASSERT_THAT(past, FailsWith(ErrorCode::offset_out_of_range));
  EXPECT_EQ(*past.error().field("offset"), ErrorField::Value(std::int64_t{17}));
  EXPECT_EQ(*past.error().field("total_bytes"), ErrorField::Value(std::int64_t{16}));
}

TEST_P(Jobs, C_RUN_8_a_signal_is_delivered_and_stop_ends_the_whole_tree) {
  REQUIRE_JOBS();
  const auto first = start(job("sleep 1000"));
  const auto sent = workspace().signal_job(soon(), first.id, SIGHUP);
  ASSERT_THAT(sent, IsOk());
  EXPECT_EQ(*sent, SignalOutcome::delivered);
  const auto hung_up = wait(workspace(), first.id);
  EXPECT_EQ(hung_up.state, JobState::signaled);
  EXPECT_EQ(hung_up.signal, SIGHUP);
  EXPECT_EQ(*workspace().signal_job(soon(), first.id, SIGHUP), SignalOutcome::already_ended);

  const auto second = start(job("(setsid sh -c 'sleep 1000' &); echo ready; sleep 1000"));
  ASSERT_THAT(workspace().read_job(soon(), second.id, {.wait = 20s}), IsOk());
  const auto stopped = workspace().stop_job(soon(), second.id);
  ASSERT_THAT(stopped, IsOk());
  EXPECT_EQ(stopped->state, JobState::signaled);
  EXPECT_EQ(stopped->ended_by, JobEndedBy::stop);
  EXPECT_EQ(stopped->survivors, 0);
  EXPECT_FALSE(stopped->left_processes);
}

TEST_P(Jobs, C_RUN_8_wait_is_bounded_by_its_time_and_by_the_call) {
  REQUIRE_JOBS();
  const auto started = start(job("sleep 1000"));
  const auto running = workspace().wait_job(soon(), started.id, 20ms);
  ASSERT_THAT(running, IsOk());
  EXPECT_EQ(running->state, JobState::running);
  const Call brief{.deadline = Deadline::after(20ms), .stop = {}, .trace_id = {}};
  EXPECT_THAT(workspace().wait_job(brief, started.id), FailsWith(ErrorCode::timed_out));
  EXPECT_THAT(workspace().read_job(brief, started.id, {.wait = 20s}), FailsWith(ErrorCode::timed_out));
}

TEST_P(Jobs, C_RUN_8_a_terminal_can_be_resized) {
  REQUIRE_JOBS();
  auto spec = job("stty size; read x; stty size");
  spec.terminal = TerminalSize{.rows = 30, .columns = 90};
  const auto started = start(spec);
  ASSERT_THAT(workspace().read_job(soon(), started.id, {.wait = 20s}), IsOk());
  EXPECT_THAT(workspace().resize_job(soon(), started.id, {.rows = 31, .columns = 91}), IsOk());
  EXPECT_THAT(workspace().write_job_stdin(soon(), started.id, "x\n"), IsOk());
  EXPECT_EQ(follow(workspace(), started.id), "30 90\r\nx\r\n31 91\r\n");
  const auto plain = start(job("sleep 1000"));
  EXPECT_THAT(workspace().resize_job(soon(), plain.id, {}), FailsWith(ErrorCode::invalid_argument));
}

TEST_P(Jobs, C_RUN_8_a_record_is_kept_until_it_is_forgotten) {
  REQUIRE_JOBS();
  const auto started = start(job("sleep 1000"));
  EXPECT_THAT(workspace().forget_job(soon(), started.id), FailsWith(ErrorCode::conflict));
  EXPECT_THAT(workspace().stop_job(soon(), started.id), IsOk());
  EXPECT_THAT(environment().open()->job(soon(), started.id), IsOk());
  EXPECT_THAT(workspace().forget_job(soon(), started.id), IsOk());
  for (const auto& id : {started.id, JobId{"no-such-job"}, JobId{"../x"}, JobId{}}) {
    EXPECT_THAT(workspace().job(soon(), id), FailsWith(ErrorCode::not_found));
    EXPECT_THAT(workspace().read_job(soon(), id), FailsWith(ErrorCode::not_found));
    EXPECT_THAT(workspace().stop_job(soon(), id), FailsWith(ErrorCode::not_found));
    EXPECT_THAT(workspace().forget_job(soon(), id), FailsWith(ErrorCode::not_found));
  }
}

TEST_P(Jobs, C_RUN_8_a_repeated_start_gives_the_job_of_the_first) {
  REQUIRE_JOBS();
  auto spec = job("echo x >> ran; sleep 1000");
  spec.command.run_id = "request-1";
  const auto first = start(spec);
  EXPECT_EQ(environment().open()->start_job(soon(), spec)->id, first.id);
  EXPECT_THAT(workspace().stop_job(soon(), first.id), IsOk());
  EXPECT_EQ(start(spec).id, first.id);
}

TEST_P(Jobs, C_RUN_8_a_job_that_makes_no_sense_is_invalid_argument) {
  REQUIRE_JOBS();
  std::vector<JobSpec> specs(5);
  specs[1] = job("true");
  specs[1].name = std::string(256, 'x');
  specs[2] = job("true");
  specs[2].terminal = TerminalSize{.rows = 0, .columns = 80};
  specs[3] = job("true");
  specs[3].command.timeout = 0ms;
  specs[4] = job("true");
  specs[4].terminal = TerminalSize{};
  specs[4].command.stdin_bytes = "x";
  for (std::size_t i = 0; i < specs.size(); ++i) {
    EXPECT_THAT(workspace().start_job(soon(), specs[i]), FailsWith(ErrorCode::invalid_argument)) << "spec " << i;
  }
  auto elsewhere = job("true");
  elsewhere.command.cwd = Path().child("missing");
  EXPECT_THAT(workspace().start_job(soon(), elsewhere), FailsWith(ErrorCode::not_found));
  const auto started = start(job("true"));
  EXPECT_THAT(workspace().read_job(soon(), started.id, {.offset = -1}), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(workspace().read_job(soon(), started.id, {.max_bytes = 0}), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(workspace().signal_job(soon(), started.id, 0), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(workspace().signal_job(soon(), started.id, 65), FailsWith(ErrorCode::invalid_argument));
}

TEST_P(Jobs, C_RUN_8_a_program_that_is_missing_is_a_job_that_exits_with_127) {
  REQUIRE_JOBS();
  JobSpec spec;
  spec.command.argv = {"no-such-program"};
  EXPECT_EQ(wait(workspace(), start(spec).id).exit_code, 127);
}

}  // namespace
}  // namespace berth::conformance
