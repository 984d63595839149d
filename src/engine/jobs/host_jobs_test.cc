#include "engine/jobs/host_jobs.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <set>
#include <thread>

#include "engine/jobs/jobs_fixture.h"

namespace berth::engine {
namespace {

using testing::FailsWith;
using testing::IsOk;

class HostJobs : public JobsTest {};
INSTANTIATE_TEST_SUITE_P(Features, HostJobs, ::testing::ValuesIn(feature_sets()), feature_name);

TEST_P(HostJobs, C_RUN_8_start_returns_at_once_and_the_job_ends_by_itself) {
  auto spec = script("read line; echo \"got $line\"; echo oops >&2; exit 3");
  spec.name = "reader";
  const auto started = start(spec);
  EXPECT_EQ(started.state, JobState::running);
  EXPECT_EQ(started.name, "reader");
  EXPECT_EQ(started.script, spec.command.script);
  EXPECT_TRUE(started.stdin_open);
  EXPECT_GT(started.process, 0);
  EXPECT_FALSE(started.has_ended());
  const auto written = jobs_->write_stdin(soon(), started.id, "this\n", StdinEnd::open);
  ASSERT_THAT(written, IsOk());
  EXPECT_EQ(*written, (StdinOutcome{.accepted_bytes = 5, .open = true}));
  const auto ended = wait(started.id);
  EXPECT_EQ(ended.state, JobState::exited);
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_EQ(ended.ended_by, JobEndedBy::itself);
  EXPECT_EQ(ended.out, (JobStreamTotals{.total_bytes = 9, .dropped_bytes = 0}));
  EXPECT_EQ(ended.err, (JobStreamTotals{.total_bytes = 5, .dropped_bytes = 0}));
  EXPECT_EQ(ended.process, started.process);
  EXPECT_EQ(ended.started_at, started.started_at);
  EXPECT_GE(ended.ended_at, ended.started_at);
  EXPECT_FALSE(ended.stdin_open);
  EXPECT_EQ(read(ended.id).content, "got this\n");
  EXPECT_EQ(read(ended.id, {.stream = JobStream::err}).content, "oops\n");
}

TEST_P(HostJobs, C_RUN_8_output_is_read_from_any_offset) {
  const auto job = wait(start(script("printf 0123456789")).id);
  EXPECT_EQ(read(job.id, {.offset = 3, .max_bytes = 4}),
            (JobOutput{.content = "3456", .offset = 3, .next_offset = 7, .total_bytes = 10, .ended = false}));
  EXPECT_EQ(read(job.id, {.offset = 7}),
            (JobOutput{.content = "789", .offset = 7, .next_offset = 10, .total_bytes = 10, .ended = true}));
  EXPECT_EQ(read(job.id, {.offset = 10}),
            (JobOutput{.content = "", .offset = 10, .next_offset = 10, .total_bytes = 10, .ended = true}));
}

TEST_P(HostJobs, C_RUN_8_an_offset_past_the_end_is_offset_out_of_range) {
  const auto job = wait(start(script("printf 0123456789")).id);
  const auto page = jobs_->read(soon(), job.id, {.offset = 11});
  ASSERT_THAT(page, FailsWith(ErrorCode::offset_out_of_range));
  EXPECT_EQ(*page.error().field("offset"), ErrorField::Value(std::int64_t{11}));
  EXPECT_EQ(*page.error().field("total_bytes"), ErrorField::Value(std::int64_t{10}));
}

TEST_P(HostJobs, C_RUN_8_output_is_followed_while_the_job_runs_by_two_readers) {
  const auto job = start(script("for i in 1 2 3 4 5 6 7 8 9; do echo $i; read x; done"));
  Bytes seen[2];
  std::thread readers[2];
  for (int i = 0; i < 2; ++i) {
    readers[i] = std::thread([&, i] { seen[i] = follow(*make(), job.id, JobStream::out, 0, 3); });
  }
  for (int i = 0; i < 9; ++i) {
    ASSERT_TRUE(await_output(job.id, std::to_string(i + 1)));
    EXPECT_THAT(jobs_->write_stdin(soon(), job.id, "\n", StdinEnd::open), IsOk());
  }
  for (auto& reader : readers) reader.join();
  EXPECT_EQ(seen[0], "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
  EXPECT_EQ(seen[1], seen[0]);
}

TEST_P(HostJobs, C_RUN_8_a_reader_at_the_end_waits_as_long_as_it_said) {
  const auto job = start(words({"sleep", "100"}));
  const auto before = Clock::now();
  EXPECT_EQ(read(job.id, {.wait = 50ms}), JobOutput{});
  EXPECT_GE(Clock::now() - before, 50ms);
  const Call brief{.deadline = Deadline::after(30ms), .stop = {}, .trace_id = {}};
  EXPECT_THAT(jobs_->read(brief, job.id, {.wait = 10s}), FailsWith(ErrorCode::timed_out));
  std::stop_source source;
  source.request_stop();
  const Call stopped{.deadline = Deadline::never(), .stop = source.get_token(), .trace_id = {}};
  EXPECT_THAT(jobs_->read(stopped, job.id, {.wait = 10s}), FailsWith(ErrorCode::cancelled));
}

TEST_P(HostJobs, C_RUN_8_all_output_until_the_end_is_there) {
  for (int i = 0; i < 20; ++i) {
    const auto job = start(script("head -c 300000 /dev/zero; printf end"));
    const auto all = follow(*jobs_, job.id);
    EXPECT_EQ(all.size(), 300'003U);
    EXPECT_TRUE(all.ends_with("end"));
  }
}

TEST_P(HostJobs, C_RUN_8_stdin_is_closed_on_demand) {
  const auto job = start(words({"cat"}));
  EXPECT_THAT(jobs_->write_stdin(soon(), job.id, "a", StdinEnd::open), IsOk());
  const auto closed = jobs_->write_stdin(soon(), job.id, Bytes("b\0c", 3), StdinEnd::close);
  ASSERT_THAT(closed, IsOk());
  EXPECT_EQ(*closed, (StdinOutcome{.accepted_bytes = 3, .open = false}));
  EXPECT_EQ(follow(*jobs_, job.id), Bytes("ab\0c", 4));
  EXPECT_EQ(wait(job.id).exit_code, 0);
  const auto late = jobs_->write_stdin(soon(), job.id, "x", StdinEnd::open);
  ASSERT_THAT(late, IsOk());
  EXPECT_EQ(*late, StdinOutcome{});
}

TEST_P(HostJobs, C_RUN_8_much_stdin_arrives_whole) {
  const auto job = start(words({"wc", "-c"}));
  const auto written = jobs_->write_stdin(soon(), job.id, Bytes(3'000'001, 'x'), StdinEnd::close);
  ASSERT_THAT(written, IsOk());
  EXPECT_EQ(written->accepted_bytes, 3'000'001);
  EXPECT_EQ(follow(*jobs_, job.id), "3000001\n");
}

TEST_P(HostJobs, C_RUN_8_stdin_that_nobody_reads_ends_with_the_call_or_the_job) {
  const auto job = start(words({"sleep", "100"}));
  const Call brief{.deadline = Deadline::after(50ms), .stop = {}, .trace_id = {}};
  const auto timed_out = jobs_->write_stdin(brief, job.id, Bytes(3'000'000, 'x'), StdinEnd::open);
  ASSERT_THAT(timed_out, FailsWith(ErrorCode::timed_out));
  EXPECT_NE(timed_out.error().field("accepted_bytes"), nullptr);
  std::thread stopper([&] {
    ::poll(nullptr, 0, 30);
    EXPECT_THAT(jobs_->stop(soon(), job.id, 0ms), IsOk());
  });
  const auto ended = jobs_->write_stdin(soon(), job.id, Bytes(3'000'000, 'x'), StdinEnd::open);
  stopper.join();
  ASSERT_THAT(ended, IsOk());
  EXPECT_FALSE(ended->open);
}

TEST_P(HostJobs, C_RUN_8_given_stdin_is_read_then_the_end) {
  auto spec = words({"cat"});
  spec.command.stdin_bytes = Bytes(200'000, 'x');
  const auto job = start(spec);
  EXPECT_FALSE(job.stdin_open);
  EXPECT_EQ(follow(*jobs_, job.id), Bytes(200'000, 'x'));
}

TEST_P(HostJobs, C_RUN_8_a_signal_reaches_the_process_group) {
  const auto job = start(script("trap 'echo usr1' USR1; echo ready; while :; do sleep 0.01; done"));
  ASSERT_TRUE(await_output(job.id, "ready"));
  const auto sent = jobs_->signal(soon(), job.id, SIGUSR1);
  ASSERT_THAT(sent, IsOk());
  EXPECT_EQ(*sent, SignalOutcome::delivered);
  EXPECT_TRUE(await_output(job.id, "usr1"));
  EXPECT_THAT(jobs_->signal(soon(), job.id, SIGTERM), IsOk());
  const auto ended = wait(job.id);
  EXPECT_EQ(ended.state, JobState::signaled);
  EXPECT_EQ(ended.signal, SIGTERM);
  EXPECT_EQ(ended.shell_status(), 143);
  EXPECT_EQ(ended.ended_by, JobEndedBy::itself);
  const auto late = jobs_->signal(soon(), job.id, SIGTERM);
  ASSERT_THAT(late, IsOk());
  EXPECT_EQ(*late, SignalOutcome::already_ended);
}

/// Writes its pids to files; ignores TERM and has children with their own session.
constexpr char kStubbornTree[] =
    "trap '' TERM; (setsid sh -c 'trap \"\" TERM; echo $$ > inner.new; mv inner.new inner; while :; do sleep 1; done' "
    "& )"
    "; echo $$ > outer.new; mv outer.new outer; while :; do sleep 1; done";

TEST_P(HostJobs, C_RUN_8_stop_ends_everything_the_job_started) {
  const auto job = start(script(kStubbornTree));
  const pid_t outer = read_pid(directory_, "outer");
  const pid_t inner = read_pid(directory_, "inner");
  const auto stopped = jobs_->stop(soon(), job.id, 100ms);
  ASSERT_THAT(stopped, IsOk());
  EXPECT_EQ(stopped->state, JobState::signaled);
  EXPECT_EQ(stopped->signal, SIGKILL);
  EXPECT_EQ(stopped->ended_by, JobEndedBy::stop);
  EXPECT_EQ(stopped->survivors, 0);
  EXPECT_FALSE(stopped->left_processes);
  EXPECT_FALSE(is_alive(outer));
  EXPECT_FALSE(is_alive(inner));
}

TEST_P(HostJobs, C_RUN_8_stop_gives_the_grace_it_says) {
  const auto job = start(script("trap 'echo bye; exit 5' TERM; echo ready; while :; do sleep 0.01; done"));
  ASSERT_TRUE(await_output(job.id, "ready"));
  const auto stopped = jobs_->stop(soon(), job.id, 20s);
  ASSERT_THAT(stopped, IsOk());
  EXPECT_EQ(stopped->state, JobState::exited);
  EXPECT_EQ(stopped->exit_code, 5);
  EXPECT_EQ(stopped->ended_by, JobEndedBy::stop);
  EXPECT_EQ(follow(*jobs_, job.id), "ready\nbye\n");
  const auto again = jobs_->stop(soon(), job.id, 20s);
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ(*again, *stopped);
}

TEST_P(HostJobs, C_RUN_8_sigkill_ends_everything_the_job_started) {
  const auto job = start(script(kStubbornTree));
  const pid_t inner = read_pid(directory_, "inner");
  EXPECT_THAT(jobs_->signal(soon(), job.id, SIGKILL), IsOk());
  EXPECT_EQ(wait(job.id).signal, SIGKILL);
  EXPECT_FALSE(is_alive(inner));
}

TEST_P(HostJobs, C_RUN_8_a_timeout_ends_the_job) {
  auto spec = script("trap 'exit 0' TERM; echo ready; while :; do sleep 0.01; done");
  spec.command.timeout = 300ms;
  const auto ended = wait(start(spec).id);
  EXPECT_EQ(ended.ended_by, JobEndedBy::timeout);
  EXPECT_EQ(ended.state, JobState::exited);
  EXPECT_GE(ended.duration, 300ms);
}

TEST_P(HostJobs, C_RUN_8_what_a_job_leaves_behind_lives_on_until_stopped) {
  const auto job = start(script("sleep 1000 & echo $! > pid.new; mv pid.new pid; echo done"));
  const auto ended = wait(job.id);
  EXPECT_EQ(ended.state, JobState::exited);
  EXPECT_EQ(follow(*jobs_, job.id), "done\n");
  const pid_t left = read_pid(directory_, "pid");
  EXPECT_TRUE(is_alive(left));
  EXPECT_TRUE(get(job.id).left_processes);
  const auto stopped = jobs_->stop(soon(), job.id, 1s);
  ASSERT_THAT(stopped, IsOk());
  EXPECT_EQ(stopped->state, JobState::exited);
  EXPECT_FALSE(stopped->left_processes);
  EXPECT_FALSE(is_alive(left));
}

TEST_P(HostJobs, C_RUN_8_a_program_that_cannot_be_executed_is_a_job_that_ends) {
  const auto missing = wait(start(words({"no-such-program"})).id);
  EXPECT_EQ(missing.exit_code, 127);
  EXPECT_EQ(read(missing.id, {.stream = JobStream::err}).content, "no-such-program: command not found\n");
  directory_.write("plain", "");
  EXPECT_EQ(wait(start(words({"./plain"})).id).exit_code, 126);
}

TEST_P(HostJobs, C_RUN_8_wait_tells_how_it_is_when_its_time_is_over) {
  const auto job = start(words({"sleep", "100"}));
  const auto info = jobs_->wait(soon(), job.id, 30ms);
  ASSERT_THAT(info, IsOk());
  EXPECT_EQ(info->state, JobState::running);
  const Call brief{.deadline = Deadline::after(30ms), .stop = {}, .trace_id = {}};
  EXPECT_THAT(jobs_->wait(brief, job.id, std::nullopt), FailsWith(ErrorCode::timed_out));
}

TEST_P(HostJobs, C_RUN_8_a_terminal_has_a_size_that_changes) {
  auto spec = script("stty size; trap 'stty size; exit' WINCH; echo ready; while :; do sleep 0.01; done");
  spec.terminal = TerminalSize{.rows = 30, .columns = 100};
  const auto job = start(spec);
  ASSERT_TRUE(await_output(job.id, "ready"));
  EXPECT_THAT(jobs_->resize(soon(), job.id, {.rows = 40, .columns = 120}), IsOk());
  EXPECT_EQ(follow(*jobs_, job.id), "30 100\r\nready\r\n40 120\r\n");
  EXPECT_EQ(wait(job.id).terminal, spec.terminal);
  EXPECT_THAT(jobs_->resize(soon(), job.id, {.rows = 40, .columns = 120}), IsOk());
}

TEST_P(HostJobs, C_RUN_8_a_terminal_is_typed_on) {
  auto spec = script("tty > /dev/null && test -t 1 && test -t 2 && cat && echo over");
  spec.terminal = TerminalSize{};
  const auto job = start(spec);
  const auto typed = jobs_->write_stdin(soon(), job.id, "hello\n", StdinEnd::close);
  ASSERT_THAT(typed, IsOk());
  EXPECT_EQ(*typed, (StdinOutcome{.accepted_bytes = 6, .open = true}));
  const auto all = follow(*jobs_, job.id);
  EXPECT_NE(all.find("hello\r\nhello\r\nover\r\n"), Bytes::npos) << all;
  EXPECT_EQ(read(job.id, {.stream = JobStream::err}), (JobOutput{.ended = true}));
}

TEST_P(HostJobs, C_RUN_8_a_terminal_turns_a_key_into_a_signal) {
  // Not a shell: one that is about to start its child takes the signal itself and waits on.
  auto spec = words({"cat"});
  spec.terminal = TerminalSize{};
  const auto job = start(spec);
  EXPECT_THAT(jobs_->write_stdin(soon(), job.id, "ready\n", StdinEnd::open), IsOk());
  ASSERT_TRUE(await_output(job.id, "ready\r\nready\r\n"));
  const auto typed = jobs_->write_stdin(soon(), job.id, "\x03", StdinEnd::open);
  ASSERT_THAT(typed, IsOk());
  EXPECT_EQ(*typed, (StdinOutcome{.accepted_bytes = 1, .open = true}));
  EXPECT_EQ(wait(job.id).signal, SIGINT);
}

TEST_P(HostJobs, C_RUN_8_all_output_of_a_terminal_is_there) {
  auto spec = script("i=0; while [ $i -lt 3000 ]; do echo 0123456789; i=$((i+1)); done");
  spec.terminal = TerminalSize{};
  EXPECT_EQ(follow(*jobs_, start(spec).id).size(), 36'000U);
}

TEST_P(HostJobs, C_RUN_8_only_a_terminal_is_resized) {
  const auto job = start(words({"sleep", "100"}));
  EXPECT_THAT(jobs_->resize(soon(), job.id, {.rows = 1, .columns = 1}), FailsWith(ErrorCode::invalid_argument));
}

TEST_P(HostJobs, C_RUN_8_ids_that_name_no_job_are_not_found) {
  for (const auto* text : {"", "nothing", "..", ".", "../key", "UPPER", "a/b", "spec"}) {
    const JobId id{text};
    EXPECT_THAT(jobs_->get(soon(), id), FailsWith(ErrorCode::not_found)) << text;
    EXPECT_THAT(jobs_->read(soon(), id, {}), FailsWith(ErrorCode::not_found)) << text;
    EXPECT_THAT(jobs_->write_stdin(soon(), id, "", StdinEnd::open), FailsWith(ErrorCode::not_found)) << text;
    EXPECT_THAT(jobs_->signal(soon(), id, SIGTERM), FailsWith(ErrorCode::not_found)) << text;
    EXPECT_THAT(jobs_->stop(soon(), id, 0ms), FailsWith(ErrorCode::not_found)) << text;
    EXPECT_THAT(jobs_->wait(soon(), id, 0ms), FailsWith(ErrorCode::not_found)) << text;
    EXPECT_THAT(jobs_->resize(soon(), id, {}), FailsWith(ErrorCode::not_found)) << text;
    EXPECT_THAT(jobs_->forget(soon(), id), FailsWith(ErrorCode::not_found)) << text;
  }
}

TEST_P(HostJobs, C_RUN_8_a_start_that_fails_leaves_nothing) {
  directory_.write("file", "");
  auto spec = words({"true"});
  spec.command.cwd = path("file");
  EXPECT_THAT(jobs_->start(soon(), spec), FailsWith(ErrorCode::not_a_directory));
  spec.command.cwd = path("missing");
  EXPECT_THAT(jobs_->start(soon(), spec), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(jobs_->start(soon(), JobSpec{}), FailsWith(ErrorCode::invalid_argument));
  spec = words({"true"});
  spec.terminal = TerminalSize{};
  spec.command.stdin_bytes = "x";
  EXPECT_THAT(jobs_->start(soon(), spec), FailsWith(ErrorCode::invalid_argument));
  const auto list = jobs_->list(soon());
  ASSERT_THAT(list, IsOk());
  EXPECT_TRUE(list->empty());
}

TEST_P(HostJobs, C_RUN_8_a_repeated_start_gives_the_same_job) {
  auto spec = script("echo x >> ran; sleep 100");
  spec.command.run_id = "request-1";
  std::set<std::string> ids;
  std::mutex mutex;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        const auto info = make()->start(soon(), spec);
        ASSERT_THAT(info, IsOk());
        const std::lock_guard held(mutex);
        ids.insert(info->id.text);
      });
    }
  }
  ASSERT_EQ(ids.size(), 1U);
  const JobId id{*ids.begin()};
  EXPECT_THAT(jobs_->stop(soon(), id, 0ms), IsOk());
  EXPECT_EQ(start(spec).id, id);
  EXPECT_EQ(directory_.read("ran"), "x\n");
  EXPECT_THAT(jobs_->forget(soon(), id), IsOk());
  EXPECT_EQ(start(spec).state, JobState::running);
  spec.command.run_id = "request-2";
  EXPECT_NE(start(spec).id, id);
}

TEST_P(HostJobs, C_RUN_8_jobs_are_listed_in_the_order_of_their_start) {
  const auto empty = jobs_->list(soon());
  ASSERT_THAT(empty, IsOk());
  EXPECT_TRUE(empty->empty());
  std::vector<JobId> started;
  for (int i = 0; i < 3; ++i) {
    started.push_back(start(words({"true"})).id);
    wait(started.back());
    ::poll(nullptr, 0, 2);  // start times have milliseconds
  }
  const auto jobs = make()->list(soon());
  ASSERT_THAT(jobs, IsOk());
  std::vector<JobId> listed;
  for (const auto& job : *jobs) listed.push_back(job.id);
  EXPECT_EQ(listed, started);
}

TEST_P(HostJobs, C_RUN_8_a_record_is_kept_until_it_is_forgotten) {
  const auto job = start(words({"sleep", "100"}));
  EXPECT_THAT(jobs_->forget(soon(), job.id), FailsWith(ErrorCode::conflict));
  EXPECT_THAT(jobs_->stop(soon(), job.id, 0ms), IsOk());
  EXPECT_THAT(make()->get(soon(), job.id), IsOk());
  EXPECT_THAT(jobs_->forget(soon(), job.id), IsOk());
  EXPECT_THAT(jobs_->get(soon(), job.id), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(jobs_->forget(soon(), job.id), FailsWith(ErrorCode::not_found));
  EXPECT_FALSE(state_.exists(record(job.id)));
}

TEST_P(HostJobs, C_RUN_8_records_go_by_age_and_by_number_but_never_those_of_running_jobs) {
  const auto running = start(words({"sleep", "100"}));
  const auto first = wait(start(words({"true"})).id);
  ::poll(nullptr, 0, 2);
  const auto second = wait(start(words({"true"})).id);
  const auto three = make({.max_records = 3});
  const auto third = three->start(soon(), words({"true"}));
  ASSERT_THAT(third, IsOk());
  EXPECT_THAT(jobs_->get(soon(), first.id), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(jobs_->get(soon(), second.id), IsOk());
  EXPECT_THAT(make({.max_records = 1})->start(soon(), words({"true"})), FailsWith(ErrorCode::unavailable));
  wait(third->id);
  ::poll(nullptr, 0, 2);
  const auto aged = make({.max_age = 1ms})->list(soon());
  ASSERT_THAT(aged, IsOk());
  ASSERT_EQ(aged->size(), 1U);
  EXPECT_EQ(aged->front().id, running.id);
}

TEST_P(HostJobs, C_RUN_8_of_a_long_output_the_first_and_the_newest_are_kept_and_the_rest_is_counted) {
  const auto jobs = make({.journal_bytes = 16 * 4096});
  const auto started = jobs->start(soon(), script("i=100000; while [ $i -lt 140000 ]; do echo $i; i=$((i+1)); done"));
  ASSERT_THAT(started, IsOk());
  const auto job = wait(started->id);
  EXPECT_EQ(job.out.total_bytes, 280'000);
  EXPECT_GT(job.out.dropped_bytes, 200'000);
  const auto head = read(job.id, {.offset = 0, .max_bytes = 1'000'000});
  EXPECT_EQ(head.content.size(), 4096U);
  EXPECT_TRUE(head.content.starts_with("100000\n100001\n"));
  EXPECT_FALSE(head.ended);
  const auto tail = read(job.id, {.offset = head.next_offset, .max_bytes = 1'000'000});
  EXPECT_EQ(tail.dropped_bytes, job.out.dropped_bytes);
  EXPECT_EQ(tail.offset, 4096 + job.out.dropped_bytes);
  EXPECT_EQ(tail.content.substr(0, 20), [&] {
    Bytes all;
    for (int i = 100'000; i < 140'000; ++i) all += std::to_string(i) + "\n";
    return all.substr(static_cast<std::size_t>(tail.offset), 20);
  }());
  EXPECT_TRUE(tail.content.ends_with("139999\n"));
  EXPECT_TRUE(tail.ended);
}

TEST_P(HostJobs, C_RUN_8_what_the_disk_does_not_take_is_counted_and_the_job_goes_on) {
  const auto started = start(script("read x; head -c 100000 /dev/zero; echo end >&2; exit 4"));
  const rlimit small{20'000, 20'000};
  ASSERT_EQ(::prlimit(watchers_of(started).keeper, RLIMIT_FSIZE, &small, nullptr), 0);
  EXPECT_THAT(jobs_->write_stdin(soon(), started.id, "\n", StdinEnd::open), IsOk());
  const auto job = wait(started.id);
  EXPECT_EQ(job.exit_code, 4);
  EXPECT_EQ(job.out.total_bytes, 100'000);
  EXPECT_GT(job.out.dropped_bytes, 0);
  EXPECT_EQ(read(job.id, {.stream = JobStream::err}).content, "end\n");
  std::int64_t held = 0;
  std::int64_t dropped = 0;
  for (std::int64_t offset = 0;;) {
    const auto page = read(job.id, {.offset = offset});
    held += static_cast<std::int64_t>(page.content.size());
    dropped += page.dropped_bytes;
    offset = page.next_offset;
    if (page.ended) break;
  }
  EXPECT_EQ(held + dropped, 100'000);
  EXPECT_EQ(dropped, job.out.dropped_bytes);
}

TEST_P(HostJobs, C_RUN_8_environment_and_input_are_not_recorded) {
  auto spec = script("cat >/dev/null; sleep 100");
  spec.command.env = {{"TOKEN", "secret-value"}};
  spec.command.stdin_bytes = "secret-input";
  const auto job = start(spec);
  const auto text = state_.read(record(job.id) + "/spec");
  EXPECT_EQ(text.find("secret"), std::string::npos) << text;
}

TEST_P(HostJobs, C_RUN_8_records_are_private_and_lie_outside_the_workspace) {
  const auto job = start(words({"sleep", "100"}));
  const std::vector<std::string> names = {"berth", "berth/jobs", "berth/jobs/key", record(job.id)};
  for (const auto& name : names) {
    struct stat status {};
    ASSERT_EQ(::stat(state_.at(name).c_str(), &status), 0) << name;
    EXPECT_EQ(status.st_mode & 0777, 0700U) << name;
  }
  const auto root = os::Root::open({directory_.path()}, {.features = features()}).value();
  EXPECT_THAT(make_host_jobs(root, "key", {.state_directory = directory_.at("state")}),
              FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(make_host_jobs(root, "key", {.state_directory = "state"}), FailsWith(ErrorCode::invalid_argument));
  const auto whole = os::Root::open({"/"}, {.features = features()}).value();
  const auto none = make_host_jobs(whole, "key", {});
  ASSERT_THAT(none, IsOk());
  EXPECT_EQ(*none, nullptr);
}

TEST_P(HostJobs, C_RUN_8_a_state_directory_that_others_may_change_is_not_used) {
  state_.make_directory("open");
  ::chmod(state_.at("open").c_str(), 0777);
  const auto jobs = make({.state_directory = state_.at("open")});
  EXPECT_THAT(jobs->start(soon(), words({"true"})), FailsWith(ErrorCode::unavailable));
  EXPECT_THAT(jobs->list(soon()), FailsWith(ErrorCode::unavailable));
  state_.make_link("link", state_.path());
  EXPECT_THAT(make({.state_directory = state_.at("link")})->list(soon()), FailsWith(ErrorCode::unavailable));
}

TEST_P(HostJobs, C_RUN_8_neither_descriptors_nor_children_are_left_in_this_process) {
  const auto once = [&] {
    const auto job = start(script("read x; echo $x"));
    EXPECT_THAT(jobs_->write_stdin(soon(), job.id, "a\n", StdinEnd::close), IsOk());
    EXPECT_EQ(follow(*jobs_, job.id), "a\n");
    EXPECT_THAT(jobs_->stop(soon(), job.id, 0ms), IsOk());
  };
  once();
  const auto descriptors = open_descriptors();
  const auto children = children_of(::getpid());
  once();
  EXPECT_EQ(open_descriptors(), descriptors);
  EXPECT_EQ(children_of(::getpid()), children);
}

}  // namespace
}  // namespace berth::engine
