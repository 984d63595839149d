#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include <gtest/gtest.h>

#include "conformance/rules.h"

namespace berth::conformance {
namespace {

using Kind = CommandOutcome::Kind;
using testing::FailsWith;
using testing::IsOk;

/// Rules about commands. Where there are none, each asserts the refusal.
class CommandRules : public Rules {
 protected:
  CommandOutcome run(const CommandSpec& spec, OutputSink* sink = nullptr) {
    auto outcome = workspace().run(soon(), spec, sink);
    EXPECT_THAT(outcome, IsOk());
    return outcome ? std::move(outcome).value() : CommandOutcome();
  }

  /// The standard output of a script that must succeed.
  Bytes output(std::string_view text) {
    const CommandOutcome outcome = run(script(text));
    EXPECT_EQ(outcome.kind, Kind::exited);
    EXPECT_EQ(outcome.exit_code, 0) << "signal " << outcome.signal << ", standard error: " << outcome.err.head;
    return outcome.out.head;
  }
};

class Commands : public CommandRules {};
INSTANTIATE_TEST_SUITE_P(, Commands, ::testing::ValuesIn(subjects()),
                         [](const auto& parameter) { return parameter.param.name; });

#define REQUIRE_COMMANDS() \
  if (!can_run()) return expect_refused(workspace().run(soon(), script("exit 0")))

CommandSpec argv(std::vector<Bytes> words) {
  CommandSpec spec;
  spec.argv = std::move(words);
  return spec;
}

TEST_P(Commands, C_RUN_1_argv_is_literal_and_a_script_is_read_by_sh) {
  REQUIRE_COMMANDS();
  EXPECT_EQ(run(argv({"printf", "%s|", "$HOME", "*", "a b", ";", "", "\xff"})).out.head, "$HOME|*|a b|;||\xff|");
  EXPECT_EQ(output("x='a b'; printf '%s' \"$x\" | tr a-z A-Z"), "A B");
}

TEST_P(Commands, C_RUN_1_standard_input_is_at_its_end_unless_given) {
  REQUIRE_COMMANDS();
  EXPECT_EQ(output("cat; echo end"), "end\n");
  CommandSpec spec = script("cat");
  Bytes large(1'000'000, 'i');
  large += '\0';
  spec.stdin_bytes = large;
  spec.output.kind = OutputPolicy::Kind::keep;
  spec.output.head = 2'000'000;
  EXPECT_EQ(run(spec).out.head, large);
  spec = script("exec true");
  spec.stdin_bytes = large;
  EXPECT_EQ(run(spec).exit_code, 0) << "a command that does not read its input is no error";
}

TEST_P(Commands, C_RUN_1_the_environment_is_an_allow_list) {
  REQUIRE_COMMANDS();
  ASSERT_EQ(::setenv("BERTH_TEST_SECRET", "leaked", 1), 0);
  const auto handle = environment().open();
  const auto outcome = handle->run(soon(), script("env"));
  ::unsetenv("BERTH_TEST_SECRET");
  ASSERT_THAT(outcome, IsOk());
  EXPECT_EQ(outcome->out.head.find("BERTH_TEST_SECRET"), Bytes::npos);
  EXPECT_NE(outcome->out.head.find("PATH="), Bytes::npos);
  CommandSpec spec = script("printf '%s,%s,%s' \"$A\" \"$B\" \"${HOME-unset}\"");
  spec.env = {{"A", "1"}, {"B", "x y\nz"}, {"A", "2"}};
  spec.env_remove = {"HOME"};
  EXPECT_EQ(run(spec).out.head, "2,x y\nz,unset");
}

TEST_P(Commands, C_RUN_1_cwd_is_a_workspace_path) {
  put("d/file", "inside");
  REQUIRE_COMMANDS();
  CommandSpec spec = script("cat file");
  const auto cwd = workspace().resolve("d");
  ASSERT_THAT(cwd, IsOk());
  spec.cwd = *cwd;
  EXPECT_EQ(run(spec).out.head, "inside");
  EXPECT_EQ(output("cat d/file"), "inside") << "commands start in the root";
  spec.cwd = Path().child("absent");
  EXPECT_THAT(workspace().run(soon(), spec), FailsWith(ErrorCode::not_found));
  spec.cwd = Path().child("d").child("file");
  EXPECT_THAT(workspace().run(soon(), spec), FailsWith(ErrorCode::not_a_directory));
}

TEST_P(Commands, C_RUN_2_an_exit_and_a_signal_are_told_apart) {
  REQUIRE_COMMANDS();
  const CommandOutcome exited = run(script("echo out; echo err >&2; exit 3"));
  EXPECT_EQ(exited.kind, Kind::exited);
  EXPECT_EQ(exited.exit_code, 3);
  EXPECT_EQ(exited.shell_status(), 3);
  EXPECT_EQ(exited.out, (StreamOutput{.head = "out\n", .tail = "", .total_bytes = 4}));
  EXPECT_EQ(exited.err, (StreamOutput{.head = "err\n", .tail = "", .total_bytes = 4}));
  EXPECT_GT(exited.duration.count(), 0);
  const CommandOutcome signaled = run(script("kill -9 $$"));
  EXPECT_EQ(signaled.kind, Kind::signaled);
  EXPECT_EQ(signaled.signal, SIGKILL);
  EXPECT_EQ(signaled.shell_status(), 128 + SIGKILL);
}

TEST_P(Commands, C_RUN_2_not_found_is_127_and_not_executable_is_126) {
  put("plain", "not a program");
  REQUIRE_COMMANDS();
  const CommandOutcome missing = run(argv({"berth-no-such-program"}));
  EXPECT_EQ(missing.kind, Kind::exited);
  EXPECT_EQ(missing.exit_code, 127);
  EXPECT_FALSE(missing.err.head.empty());
  const CommandOutcome plain = run(argv({"./plain"}));
  EXPECT_EQ(plain.kind, Kind::exited);
  EXPECT_EQ(plain.exit_code, 126);
  EXPECT_EQ(run(argv({"/"})).exit_code, 126);
}

TEST_P(Commands, C_RUN_2_a_timeout_is_an_outcome_with_the_partial_output) {
  REQUIRE_COMMANDS();
  CommandSpec spec = script("echo partial; exec sleep 600");
  spec.timeout = std::chrono::milliseconds(200);
  const auto begin = Clock::now();
  const CommandOutcome outcome = run(spec);
  EXPECT_LT(Clock::now() - begin, std::chrono::milliseconds(250) + kSlack);
  EXPECT_EQ(outcome.kind, Kind::timed_out);
  EXPECT_EQ(outcome.out.head, "partial\n");
  EXPECT_EQ(outcome.survivors, 0);
  EXPECT_EQ(outcome.shell_status(), 124);
}

TEST_P(Commands, C_RUN_3_output_is_complete_and_its_totals_are_exact) {
  REQUIRE_COMMANDS();
  CommandSpec spec = script("head -c 3000000 /dev/zero; head -c 1000000 /dev/zero >&2");
  spec.output.kind = OutputPolicy::Kind::keep;
  spec.output.head = 100;
  spec.output.tail = 50;
  const CommandOutcome kept = run(spec);
  EXPECT_EQ(kept.kind, Kind::exited);
  EXPECT_EQ(kept.out.total_bytes, 3'000'000);
  EXPECT_EQ(kept.err.total_bytes, 1'000'000);
  EXPECT_EQ(kept.out.head, Bytes(100, '\0'));
  EXPECT_EQ(kept.out.tail, Bytes(50, '\0'));
  EXPECT_EQ(kept.out.dropped_bytes(), 3'000'000 - 150);
}

TEST_P(Commands, C_RUN_3_stop_at_ends_the_command_and_keeps_the_first_bytes) {
  REQUIRE_COMMANDS();
  CommandSpec spec = script("while :; do echo 0123456789; done");
  spec.output.limit = 100'000;
  spec.output.kept = 1000;
  const CommandOutcome outcome = run(spec);
  EXPECT_EQ(outcome.kind, Kind::output_limited);
  EXPECT_EQ(outcome.out.head.size(), 1000u);
  EXPECT_TRUE(outcome.out.head.starts_with("0123456789\n0123"));
  EXPECT_GT(outcome.out.total_bytes, 100'000);
  EXPECT_EQ(outcome.survivors, 0);
}

TEST_P(Commands, C_RUN_3_a_sink_sees_everything_in_order) {
  REQUIRE_COMMANDS();
  class Collect final : public OutputSink {
   public:
    void write(Stream stream, BytesView bytes) override { (stream == Stream::out ? out : err) += bytes; }
    Bytes out;
    Bytes err;
  } sink;
  CommandSpec spec = script("i=0; while [ $i -lt 500 ]; do echo line $i; echo oops >&2; i=$((i+1)); done");
  spec.output.kind = OutputPolicy::Kind::keep;
  spec.output.head = 10;
  spec.output.tail = 10;
  const CommandOutcome outcome = run(spec, &sink);
  EXPECT_EQ(outcome.exit_code, 0);
  Bytes expected;
  for (int i = 0; i < 500; ++i) expected += "line " + std::to_string(i) + "\n";
  EXPECT_EQ(sink.out, expected);
  EXPECT_EQ(sink.err.size(), 2500u);
  EXPECT_EQ(outcome.out.total_bytes, static_cast<std::int64_t>(expected.size()));
}

TEST_P(Commands, C_RUN_4_run_returns_when_the_command_exits_though_a_child_holds_the_pipes) {
  REQUIRE_COMMANDS();
  const auto begin = Clock::now();
  const CommandOutcome outcome = run(script("sleep 600 & echo $!; echo before the exit"));
  EXPECT_LT(Clock::now() - begin, std::chrono::milliseconds(50) + kSlack);
  EXPECT_EQ(outcome.kind, Kind::exited);
  EXPECT_EQ(outcome.exit_code, 0);
  ASSERT_NE(outcome.out.head.find("\nbefore the exit\n"), Bytes::npos);
  const Bytes child = outcome.out.head.substr(0, outcome.out.head.find('\n'));
  EXPECT_EQ(output("kill -0 " + child + " && echo alive"), "alive\n") << "the child lives on";
  EXPECT_EQ(output("kill -9 " + child + " && echo ended"), "ended\n");
}

TEST_P(Commands, C_RUN_4_a_detached_process_lives_on) {
  REQUIRE_COMMANDS();
  const Bytes child = output("setsid sleep 600 >/dev/null 2>&1 </dev/null & echo $!");
  const auto other = environment().open();
  const auto alive = other->run(soon(), script("kill -0 " + child));
  ASSERT_THAT(alive, IsOk());
  EXPECT_EQ(alive->exit_code, 0);
  output("kill -9 " + child);
}

TEST_P(Commands, C_RUN_5_a_timeout_ends_the_whole_tree) {
  REQUIRE_COMMANDS();
  // A plain child, one in its own session, a double fork in a session, and one that ignores TERM.
  CommandSpec spec = script(
      "sleep 601 & echo $!\n"
      "setsid sleep 602 & echo $!\n"
      "(setsid sh -c 'sleep 603 & echo $!; exit 0' &)\n"
      "sh -c 'trap \"\" TERM; echo $$; while :; do sleep 0.1; done' &\n"
      "wait; sleep 600");
  spec.timeout = std::chrono::milliseconds(700);
  const CommandOutcome outcome = run(spec);
  EXPECT_EQ(outcome.kind, Kind::timed_out);
  EXPECT_EQ(outcome.survivors, 0);
  EXPECT_EQ(std::count(outcome.out.head.begin(), outcome.out.head.end(), '\n'), 4) << outcome.out.head;
  EXPECT_EQ(output("for p in " +
                   [&] {
                     Bytes words = outcome.out.head;
                     std::replace(words.begin(), words.end(), '\n', ' ');
                     return words;
                   }() +
                   "; do kill -0 $p 2>/dev/null && echo $p lives; done; exit 0"),
            "");
}

TEST_P(Commands, C_RUN_5_end_scope_group_spares_a_daemon) {
  REQUIRE_COMMANDS();
  // The sixth field of stat is the session: the daemon is one once it has its own.
  CommandSpec spec = script(
      "setsid sleep 604 >/dev/null 2>&1 & "
      "until [ \"$(cut -d' ' -f6 /proc/$!/stat)\" = $! ]; do sleep 0.01; done; echo $!; exec sleep 600");
  spec.timeout = std::chrono::milliseconds(1500);
  spec.end_scope = EndScope::group;
  const CommandOutcome outcome = run(spec);
  EXPECT_EQ(outcome.kind, Kind::timed_out);
  ASSERT_TRUE(outcome.out.head.ends_with("\n")) << outcome.out.head;
  EXPECT_EQ(output("kill -9 " + outcome.out.head.substr(0, outcome.out.head.size() - 1) + " && echo lived"), "lived\n");
}

TEST_P(Commands, C_RUN_6_an_environment_destroyed_meanwhile_is_gone) {
  REQUIRE_COMMANDS();
  EXPECT_EQ(output("echo before"), "before\n");
  environment().destroy();
  EXPECT_THAT(workspace().run(soon(), script("echo after")), FailsWith(ErrorCode::environment_gone));
}

TEST_P(Commands, C_RUN_6_an_environment_destroyed_during_a_command_is_no_exit_code) {
  REQUIRE_COMMANDS();
  /// Destroys the environment once the command has shown that it runs.
  class Destroyer final : public OutputSink {
   public:
    explicit Destroyer(Environment& environment) : environment_(environment) {}
    void write(Stream, BytesView) override { environment_.destroy(); }

   private:
    Environment& environment_;
  } destroyer(environment());
  EXPECT_THAT(workspace().run(soon(), script("echo begun; sleep 0.3"), &destroyer),
              FailsWith(ErrorCode::environment_gone));
}

TEST_P(Commands, C_RUN_7_a_repeated_request_returns_the_first_outcome) {
  REQUIRE_COMMANDS();
  CommandSpec spec = script("echo x >> ran; wc -l < ran");
  spec.run_id = "request-1";
  const CommandOutcome first = run(spec);
  EXPECT_EQ(first.out.head, "1\n");
  EXPECT_EQ(run(spec), first);
  EXPECT_EQ(content("ran"), "x\n");
  spec.run_id = "request-2";
  EXPECT_EQ(run(spec).out.head, "2\n");
}

TEST_P(Commands, C_RUN_7_requests_with_one_id_at_the_same_time_run_once) {
  REQUIRE_COMMANDS();
  CommandSpec spec = script("echo x >> ran; sleep 0.2; echo done");
  spec.run_id = "request";
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] { EXPECT_EQ(run(spec).out.head, "done\n"); });
    }
  }
  EXPECT_EQ(content("ran"), "x\n");
}

TEST_P(Commands, C_RUN_9_a_request_that_makes_no_sense_is_invalid_argument) {
  REQUIRE_COMMANDS();
  std::vector<CommandSpec> specs(9);
  specs[1] = argv({"true"});
  specs[1].script = "true";
  specs[2] = argv({""});
  specs[3] = argv({Bytes("a\0b", 3)});
  specs[4] = script("true");
  specs[4].timeout = std::chrono::milliseconds(0);
  specs[5] = script("true");
  specs[5].env = {{"", "x"}};
  specs[6] = script("true");
  specs[6].env = {{"A=B", "x"}};
  specs[7] = script("true");
  specs[7].env = {{"A", Bytes("x\0y", 3)}};
  specs[8] = script("true");
  specs[8].output.limit = -1;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    EXPECT_THAT(workspace().run(soon(), specs[i]), FailsWith(ErrorCode::invalid_argument)) << "spec " << i;
  }
}

TEST_P(Commands, C_RUN_9_a_script_that_cannot_be_parsed_is_an_outcome) {
  REQUIRE_COMMANDS();
  const CommandOutcome outcome = run(script("if then"));
  EXPECT_EQ(outcome.kind, Kind::exited);
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_FALSE(outcome.err.head.empty());
}

}  // namespace
}  // namespace berth::conformance
