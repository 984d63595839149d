// What becomes of a command's output, and when run returns (C-RUN-3, C-RUN-4).

#include "engine/commands/commands_fixture.h"

namespace berth::engine {
namespace {

using testing::IsOk;
using Stream = OutputSink::Stream;

class CommandOutput : public CommandsTest {};
INSTANTIATE_TEST_SUITE_P(Features, CommandOutput, ::testing::ValuesIn(feature_sets()), feature_name);

class Recorder final : public OutputSink {
 public:
  void write(Stream stream, BytesView bytes) override { (stream == Stream::out ? out : err).append(bytes); }

  Bytes out;
  Bytes err;
};

TEST_P(CommandOutput, C_RUN_2_the_streams_are_apart_and_bytes_are_kept) {
  EXPECT_EQ(timeless(run(script("printf 'a\\0\\377\\n'; printf 'e\\200' >&2"))),
            exited(0, std::string("a\0\xff\n", 4), "e\x80"));
}

TEST_P(CommandOutput, C_RUN_3_output_within_the_limit_is_complete) {
  const auto outcome = run(script("head -c 5000000 /dev/zero; head -c 3000000 /dev/zero >&2"));
  EXPECT_EQ(timeless(outcome), exited(0, std::string(5'000'000, '\0'), std::string(3'000'000, '\0')));
}

TEST_P(CommandOutput, C_RUN_3_keep_drains_all_and_keeps_both_ends_with_exact_totals) {
  auto spec = script("printf begin; head -c 52428800 /dev/zero; printf end; printf short >&2");
  spec.output = {.kind = OutputPolicy::Kind::keep, .head = 6, .tail = 4};
  const auto outcome = run(spec);
  EXPECT_EQ(outcome.kind, Kind::exited);
  EXPECT_EQ(
      outcome.out,
      (StreamOutput{.head = std::string("begin\0", 6), .tail = std::string("\0end", 4), .total_bytes = 52428800 + 8}));
  EXPECT_EQ(outcome.err, (StreamOutput{.head = "short", .tail = "", .total_bytes = 5}));
}

TEST_P(CommandOutput, C_RUN_3_stop_at_ends_the_command_and_keeps_the_first_of_each_stream) {
  auto spec = script("echo $$ > pid; printf err >&2; exec yes");
  spec.output.limit = 100'000;
  spec.output.kept = 5;
  const auto outcome = run(spec);
  EXPECT_EQ(outcome.kind, Kind::output_limited);
  EXPECT_EQ(outcome.out.head, "y\ny\ny");
  EXPECT_EQ(outcome.out.tail, "");
  EXPECT_GT(outcome.out.total_bytes, 100'000);
  EXPECT_EQ(outcome.err.head, "err");
  EXPECT_EQ(outcome.survivors, 0);
  EXPECT_FALSE(is_alive(read_pid(directory_, "pid")));
}

TEST_P(CommandOutput, C_RUN_3_output_beyond_the_limit_never_looks_complete) {
  auto spec = script("printf 123456");
  spec.output.limit = 5;
  spec.output.kept = 3;
  for (int i = 0; i < 50; ++i) {
    const auto outcome = run(spec);
    EXPECT_EQ(outcome.kind, Kind::output_limited);
    EXPECT_EQ(outcome.out, (StreamOutput{.head = "123", .tail = "", .total_bytes = 6}));
  }
  spec.output.limit = 6;
  EXPECT_EQ(timeless(run(spec)), exited(0, "123456"));
}

TEST_P(CommandOutput, C_RUN_3_the_sink_sees_everything_also_what_is_dropped) {
  auto spec = script("seq 200000; seq 5 >&2");
  spec.output = {.kind = OutputPolicy::Kind::keep, .head = 1, .tail = 1};
  Recorder sink;
  const auto outcome = run(spec, {}, &sink);
  EXPECT_EQ(static_cast<std::int64_t>(sink.out.size()), outcome.out.total_bytes);
  EXPECT_EQ(sink.out.substr(0, 4), "1\n2\n");
  EXPECT_TRUE(sink.out.ends_with("\n200000\n"));
  EXPECT_EQ(sink.err, "1\n2\n3\n4\n5\n");
}

TEST_P(CommandOutput, C_RUN_4_output_written_right_before_the_exit_is_all_there) {
  for (int i = 0; i < 500; ++i) {
    ASSERT_EQ(timeless(run(script("printf out; printf err >&2"))), exited(0, "out", "err")) << i;
  }
}

TEST_P(CommandOutput, C_RUN_4_run_returns_when_the_command_exits_though_a_child_holds_the_pipes) {
  const auto begin = Clock::now();
  const auto outcome = run(script("sleep 60 & echo $! > pid; echo done"));
  EXPECT_LT(Clock::now() - begin, 2s);
  EXPECT_EQ(timeless(outcome), exited(0, "done\n"));
  const auto child = read_pid(directory_, "pid");
  EXPECT_TRUE(is_alive(child));
  commands_.reset();
  EXPECT_TRUE(is_alive(child));
  ::kill(child, SIGKILL);
  EXPECT_TRUE(eventually([&] { return ::kill(child, 0) != 0; }));
}

TEST_P(CommandOutput, C_RUN_4_run_returns_within_50_ms_of_the_exit) {
  const auto late = best_of(5, [&](int attempt) {
    const auto file = "pid-" + std::to_string(attempt);
    const auto begin = Clock::now();
    const auto outcome = run(script("sleep 60 & echo $! > " + file));
    const auto taken = Clock::now() - begin;
    ::kill(read_pid(directory_, file), SIGKILL);
    return taken - outcome.duration;
  });
  EXPECT_LT(late, 50ms);
}

TEST_P(CommandOutput, C_RUN_4_a_child_left_behind_may_go_on_writing) {
  // More than a pipe holds, after the command has ended: it would block or get SIGPIPE if nobody read.
  run(script(
      "(until [ -e go ]; do sleep 0.01; done; head -c 300000 /dev/zero && echo $? > wrote; echo on >&2) & exit 0"));
  directory_.write("go", "");
  EXPECT_TRUE(eventually([&] { return directory_.exists("wrote"); }));
  EXPECT_TRUE(eventually([&] { return directory_.read("wrote") == "0\n"; }));
}

TEST_P(CommandOutput, C_RUN_4_a_child_that_floods_the_pipe_does_not_hold_up_the_return) {
  auto spec = script("yes & echo $! > pid; sleep 0.05; exit 7");
  spec.output = {.kind = OutputPolicy::Kind::keep, .head = 4, .tail = 4};
  const auto outcome = run(spec);
  EXPECT_EQ(outcome.kind, Kind::exited);
  EXPECT_EQ(outcome.exit_code, 7);
  ::kill(read_pid(directory_, "pid"), SIGKILL);
}

TEST_P(CommandOutput, C_RUN_4_a_command_that_closes_its_streams_is_waited_for) {
  EXPECT_EQ(timeless(run(script("exec >&- 2>&- <&-; sleep 0.05; exit 5"))), exited(5));
}

}  // namespace
}  // namespace berth::engine
