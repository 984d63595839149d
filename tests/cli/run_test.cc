#include <signal.h>

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace berth::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

TEST(Run, words_are_literal_and_both_streams_stay_apart) {
  const Berth berth;
  EXPECT_EQ(berth({"run", "--", "printf", "%s|", "$HOME", "*", "", "{}", "[a,b]", "--json", "--"}),
            (Ended{0, "$HOME|*||{}|[a,b]|--json|--|", ""}));
  EXPECT_EQ(berth({"run", "-c", "echo out; echo err >&2"}), (Ended{0, "out\n", "err\n"}));
}

TEST(Run, exits_with_the_commands_own_code) {
  const Berth berth;
  EXPECT_EQ(berth({"run", "-c", "exit 7"}), (Ended{7, "", ""}));
  EXPECT_EQ(berth({"run", "-c", "kill -SEGV $$"}).status, 128 + SIGSEGV);
  EXPECT_EQ(berth({"run", "--", "no-such-program"}).status, 127);
  berth.directory.write("plain", "text");
  EXPECT_EQ(berth({"run", "--", "./plain"}).status, 126);
}

TEST(Run, takes_env_cwd_and_stdin) {
  const Berth berth;
  berth.directory.make_directory("sub");
  EXPECT_EQ(berth({"run", "--env", "A=[x,y]", "--env", "B=1=2", "--cwd", "sub", "-c", "echo $A $B ${PWD##*/}"}),
            (Ended{0, "[x,y] 1=2 sub\n", ""}));
  EXPECT_EQ(berth({"run", "--", "cat"}, "unseen"), (Ended{0, "", ""}));
  EXPECT_EQ(berth({"run", "--stdin", "--", "cat"}, "seen"), (Ended{0, "seen", ""}));
}

TEST(Run, a_timeout_exits_with_124_and_prints_what_came_until_then) {
  const auto ended = Berth()({"run", "--timeout", "0.3", "-c", "echo partial; sleep 60"});
  EXPECT_EQ(ended.status, 124);
  EXPECT_EQ(ended.out, "partial\n");
  EXPECT_THAT(ended.err, HasSubstr("timed out"));
}

TEST(Run, json_has_the_whole_outcome) {
  const Berth berth;
  auto object = berth.json({"run", "-c", "echo out; echo err >&2; exit 3"}, 3);
  EXPECT_GT(object["duration_ms"], 0);
  object.erase("duration_ms");
  EXPECT_EQ(object, (json{{"outcome", "exited"},
                          {"exit_code", 3},
                          {"shell_status", 3},
                          {"stdout", {{"head", "out\n"}, {"total_bytes", 4}}},
                          {"stderr", {{"head", "err\n"}, {"total_bytes", 4}}},
                          {"survivors", 0}}));
  auto late = berth.json({"run", "--timeout", "0.3", "-c", "echo partial; sleep 60"}, 124);
  EXPECT_EQ(late["outcome"], "timed_out");
  EXPECT_EQ(late["stdout"]["head"], "partial\n");
  EXPECT_EQ(berth.json({"run", "--output-limit", "1000", "--", "yes"}, 51)["outcome"], "output_limited");
}

TEST(Run, output_that_is_not_utf8_is_whole_in_base64) {
  auto object = Berth().json({"run", "--", "printf", "a\\377"});
  EXPECT_EQ(object["stdout"]["head"], "a\xef\xbf\xbd");
  EXPECT_EQ(object["stdout"]["head_b64"], "Yf8=");
}

TEST(Run, output_appears_while_the_command_runs) {
  const Berth berth;
  Running running({BERTH_PROGRAM, "-w", berth.directory.path(), "run", "-c", "echo early; sleep 60"});
  EXPECT_TRUE(running.wait_for_output("early\n"));
}

TEST(Run, more_output_than_any_limit_passes_through) {
  const auto ended = Berth()({"run", "--", "head", "-c", "30000000", "/dev/zero"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(ended.out.size(), 30'000'000U);
}

TEST(Run, interrupt_and_terminate_end_the_commands_whole_tree_with_130) {
  for (const int number : {SIGINT, SIGTERM}) {
    const Berth berth;
    Running running({BERTH_PROGRAM, "-w", berth.directory.path(), "run", "-c", "setsid sleep 60 & echo pid $!.; wait"});
    ASSERT_TRUE(running.wait_for_output(".\n"));
    running.signal(number);
    const auto ended = running.wait();
    EXPECT_EQ(ended.status, 130);
    const pid_t child = std::stoi(ended.out.substr(4));
    EXPECT_NE(kill(child, 0), 0) << child;
  }
}

TEST(Run, a_signal_that_comes_twice_at_once_as_from_timeout_leaves_the_command_its_grace) {
  const Berth berth;
  Running running({BERTH_PROGRAM, "-w", berth.directory.path(), "run", "-c",
                   "trap 'echo stopping; exit' TERM; echo ready; sleep 60 & wait"});
  ASSERT_TRUE(running.wait_for_output("ready"));
  running.signal(SIGTERM);
  running.signal(SIGTERM);
  const auto ended = running.wait();
  EXPECT_EQ(ended.status, 130);
  EXPECT_EQ(ended.out, "ready\nstopping\n");
}

TEST(Run, a_closed_pipe_ends_the_command_as_in_a_shell) {
  const Berth berth;
  const auto ended =
      run_program({"/bin/sh", "-c", "\"$0\" -w \"$1\" run -- yes | head -1", BERTH_PROGRAM, berth.directory.path()});
  EXPECT_EQ(ended, (Ended{0, "y\n", ""}));
}

TEST(Run, commands_get_the_default_signals_and_nothing_of_ours) {
  const auto ended = Berth()({"run", "--", "grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"});
  EXPECT_EQ(ended.out, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

TEST(Write, an_interrupt_while_standard_input_is_open_ends_it_with_130) {
  const Berth berth;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const std::string input = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(ends[0]);
  Running running({"/bin/sh", "-c", "echo started; exec \"$0\" -w \"$1\" write f <\"$2\"", BERTH_PROGRAM,
                   berth.directory.path(), input});
  ASSERT_TRUE(running.wait_for_output("started"));
  running.signal(SIGINT);
  const auto ended = running.wait();
  EXPECT_EQ(ended.status, 130);
  EXPECT_FALSE(berth.directory.exists("f"));
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace berth::testing
