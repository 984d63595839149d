#include <signal.h>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace berth::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

/// `berth` at work, with the records of its jobs in a place of the test's own. Every call is a process of its own.
class Jobs : public ::testing::Test {
 protected:
  Jobs() { ::setenv("XDG_STATE_HOME", state_.path().c_str(), 1); }
  ~Jobs() override {
    const auto listed = berth.json({"jobs"});
    for (const auto& job : listed["jobs"]) berth({"jobs", "stop", job["id"], "--grace", "0"});
  }

  std::string start(std::vector<std::string> words) {
    words.insert(words.begin(), {"jobs", "start"});
    const auto ended = berth(std::move(words));
    EXPECT_EQ(ended.status, 0) << ended.err;
    return ended.out.substr(0, ended.out.find('\n'));
  }

  Berth berth;

 private:
  TempDir state_;
};

TEST_F(Jobs, C_RUN_8_a_job_runs_on_and_every_later_command_finds_it) {
  const auto id = start({"--name", "greeter", "-c", "read line; echo \"got $line\"; echo oops >&2; exit 3"});
  EXPECT_THAT(berth({"jobs"}).out, HasSubstr(id));
  EXPECT_EQ(berth.json({"jobs", "list"})["jobs"][0]["state"], "running");
  EXPECT_EQ(berth({"jobs", "wait", id, "--timeout", "0.05"}).status, 124);
  EXPECT_EQ(berth({"jobs", "write", "greeter"}, "input\n"), (Ended{0, "", ""}));
  EXPECT_EQ(berth({"jobs", "wait", "greeter"}), (Ended{3, "", ""}));
  EXPECT_EQ(berth({"jobs", "read", "greeter"}), (Ended{0, "got input\n", "oops\n"}));
  EXPECT_EQ(berth({"jobs", "read", id, "--stream", "out", "--offset", "4"}), (Ended{0, "input\n", ""}));
  EXPECT_EQ(berth({"jobs", "read", id, "--stream", "err", "--max-bytes", "2"}), (Ended{0, "", "oo"}));
}

TEST_F(Jobs, C_RUN_8_output_is_followed_to_the_end) {
  const auto id = start({"-c", "echo one; read x; echo two"});
  Running follower({BERTH_PROGRAM, "-w", berth.directory.path(), "jobs", "read", "--follow", id});
  EXPECT_TRUE(follower.wait_for_output("one\n"));
  EXPECT_EQ(berth({"jobs", "write", id, "--close"}, "\n").status, 0);
  EXPECT_EQ(follower.wait(), (Ended{0, "one\ntwo\n", ""}));
}

TEST_F(Jobs, a_follower_ends_when_it_is_told_to_and_the_job_goes_on) {
  const auto id = start({"-c", "echo one; exec sleep 1000"});
  Running follower({BERTH_PROGRAM, "-w", berth.directory.path(), "jobs", "read", "-f", id});
  EXPECT_TRUE(follower.wait_for_output("one\n"));
  follower.signal(SIGINT);
  EXPECT_EQ(follower.wait().status, 130);
  EXPECT_EQ(berth.json({"jobs"})["jobs"][0]["state"], "running");
}

TEST_F(Jobs, C_RUN_8_signals_and_stop_end_it) {
  const auto first = start({"--", "sleep", "1000"});
  EXPECT_EQ(berth({"jobs", "signal", first, "hup"}), (Ended{0, "", ""}));
  EXPECT_EQ(berth({"jobs", "wait", first}).status, 128 + SIGHUP);
  EXPECT_EQ(berth({"jobs", "signal", first, "15"}).status, 1);
  EXPECT_EQ(berth({"jobs", "signal", first, "NOTHING"}).status, 2);
  const auto second = start({"-c", "setsid sleep 1000 & exec sleep 1000"});
  const auto stopped = berth.json({"jobs", "stop", second});
  EXPECT_EQ(stopped["state"], "signaled");
  EXPECT_EQ(stopped["ended_by"], "stop");
  EXPECT_EQ(stopped["survivors"], 0);
}

TEST_F(Jobs, C_RUN_8_a_record_is_kept_until_it_is_forgotten) {
  const auto id = start({"--", "sleep", "1000"});
  EXPECT_EQ(berth({"jobs", "forget", id}).status, 65);
  EXPECT_EQ(berth({"jobs", "stop", id}).status, 0);
  EXPECT_EQ(berth({"jobs", "forget", id}), (Ended{0, "", ""}));
  const auto gone = berth({"jobs", "read", id});
  EXPECT_EQ(gone.status, 10);
  EXPECT_THAT(gone.err, HasSubstr("berth jobs"));
}

TEST_F(Jobs, C_RUN_8_a_key_starts_it_once) {
  const auto id = start({"--key", "k", "-c", "echo x >> ran; sleep 1000"});
  EXPECT_EQ(start({"--key", "k", "-c", "echo x >> ran; sleep 1000"}), id);
}

TEST_F(Jobs, a_name_that_two_jobs_have_names_none) {
  start({"--name", "twin", "--", "true"});
  start({"--name", "twin", "--", "true"});
  EXPECT_EQ(berth({"jobs", "wait", "twin"}).status, 2);
}

TEST_F(Jobs, takes_env_cwd_stdin_and_a_terminal) {
  berth.directory.make_directory("sub");
  const auto id = start({"--env", "A=b", "--cwd", "sub", "-c", "echo $A ${PWD##*/}; tty"});
  berth({"jobs", "wait", id});
  EXPECT_EQ(berth({"jobs", "read", id}).out, "b sub\nnot a tty\n");
  const auto on_terminal = start({"--pty", "-c", "stty size"});
  EXPECT_EQ(berth({"jobs", "read", "-f", on_terminal}).out, "24 80\r\n");
  EXPECT_EQ(berth({"jobs", "start", "--stdin", "--name", "cat", "--", "cat"}, "given").status, 0);
  EXPECT_EQ(berth({"jobs", "read", "-f", "cat"}).out, "given");
}

TEST_F(Jobs, json_has_all_of_a_job_and_of_a_page) {
  auto started = berth.json({"jobs", "start", "--name", "n", "--", "printf", "0123456789"});
  const std::string id = started["id"];
  EXPECT_EQ(started["argv"], (json{"printf", "0123456789"}));
  auto ended = berth.json({"jobs", "wait", id});
  for (const char* varies : {"started_at", "ended_at", "duration_ms", "process"}) {
    EXPECT_TRUE(ended.contains(varies)) << varies;
    ended.erase(varies);
  }
  EXPECT_EQ(ended, (json{{"id", id},
                         {"name", "n"},
                         {"state", "exited"},
                         {"exit_code", 0},
                         {"shell_status", 0},
                         {"ended_by", "itself"},
                         {"survivors", 0},
                         {"left_processes", false},
                         {"argv", {"printf", "0123456789"}},
                         {"cwd", "."},
                         {"stdout", {{"total_bytes", 10}, {"dropped_bytes", 0}}},
                         {"stderr", {{"total_bytes", 0}, {"dropped_bytes", 0}}}}));
  EXPECT_EQ(berth.json({"jobs", "read", id, "--offset", "2", "--max-bytes", "3", "--stream", "out"}),
            (json{{"id", id},
                  {"stream", "out"},
                  {"content", "234"},
                  {"offset", 2},
                  {"next_offset", 5},
                  {"dropped_bytes", 0},
                  {"total_bytes", 10},
                  {"ended", false}}));
  EXPECT_EQ(berth.json({"jobs", "read", id, "--stream", "out", "--offset", "11"}, 25)["error"]["total_bytes"], 10);
}

TEST_F(Jobs, are_not_offered_by_a_workspace_that_only_reads_or_is_a_document) {
  EXPECT_EQ(berth({"--read-only", "jobs", "start", "--", "true"}).status, 24);
  EXPECT_EQ(berth({"--read-only", "jobs"}).status, 24);
  EXPECT_EQ(run_program({BERTH_PROGRAM, "-w", "state:" + berth.directory.at("s.json"), "jobs"}).status, 60);
  EXPECT_EQ(berth.json({"ref"})["capabilities"]["jobs"], true);
}

TEST_F(Jobs, the_help_teaches_each_verb) {
  EXPECT_THAT(berth({"jobs", "--help"}).out, HasSubstr("Usage: berth jobs"));
  for (const std::string verb : {"list", "start", "read", "wait", "write", "signal", "stop", "forget"}) {
    EXPECT_THAT(berth({"jobs", "--help"}).out, HasSubstr("\n  " + verb + " "));
    EXPECT_THAT(berth({"jobs", verb, "--help"}).out, HasSubstr("Usage: berth jobs " + verb));
    EXPECT_THAT(berth({"man"}).out, HasSubstr(".SS berth jobs " + verb));
  }
  EXPECT_THAT(berth({"jobs", "start", "--help"}).out, HasSubstr("[-- ARGV...]"));
  const auto wrong = berth({"jobs", "start", "make"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("berth jobs start --help"));
}

}  // namespace
}  // namespace berth::testing
