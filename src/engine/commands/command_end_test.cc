// How commands are ended: timeouts, cancellation, deadlines, and what happens when processes of ours are killed
// (C-RUN-5).

#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include <thread>

#include "engine/commands/commands_fixture.h"

namespace berth::engine {
namespace {

class CommandEnd : public CommandsTest {
 protected:
  CommandOutcome run_for(std::chrono::milliseconds timeout, std::string text, EndScope scope = EndScope::tree) {
    auto spec = script(std::move(text));
    spec.timeout = timeout;
    spec.end_scope = scope;
    return run(spec);
  }
};
INSTANTIATE_TEST_SUITE_P(Features, CommandEnd, ::testing::ValuesIn(feature_sets()), feature_name);

/// A command with a daemon in its own session, one that was double-forked and ignores TERM, and a child that does.
constexpr const char* kDaemons =
    "setsid sh -c 'echo $$ > session; sleep 60' &\n"
    "(setsid sh -c 'trap \"\" TERM; echo $$ > double; sleep 60; sleep 60' &)\n"
    "sh -c 'trap \"\" TERM; echo $$ > stubborn; while :; do sleep 60; done' &\n"
    "until [ -s session ] && [ -s double ] && [ -s stubborn ]; do sleep 0.01; done\n"
    "echo ready; sleep 60";

TEST_P(CommandEnd, C_RUN_5_a_timeout_ends_everything_and_returns_the_partial_output) {
  const auto outcome = run_for(400ms, kDaemons);
  EXPECT_EQ(outcome.kind, Kind::timed_out);
  EXPECT_EQ(outcome.out.head, "ready\n");
  EXPECT_EQ(outcome.survivors, 0);
  EXPECT_EQ(outcome.shell_status(), 124);
  // Two of them ignore TERM: the grace is given, then KILL.
  EXPECT_GE(outcome.duration, 300ms);
  for (const char* file : {"session", "double", "stubborn"}) EXPECT_FALSE(is_alive(read_pid(directory_, file))) << file;
}

TEST_P(CommandEnd, C_RUN_5_a_command_that_obeys_TERM_gets_no_more_than_that) {
  const auto begin = Clock::now();
  const auto outcome = run_for(100ms, "trap 'echo bye; exit 0' TERM; sleep 60 & wait");
  EXPECT_EQ(outcome.kind, Kind::timed_out);
  EXPECT_EQ(outcome.out.head, "bye\n");
  EXPECT_LT(Clock::now() - begin, 1900ms);
}

TEST_P(CommandEnd, C_RUN_5_TERM_is_followed_by_KILL_after_two_seconds) {
  const auto begin = Clock::now();
  const auto outcome = run_for(50ms, "trap '' TERM; while :; do sleep 60; done");
  const auto taken = Clock::now() - begin;
  EXPECT_EQ(outcome.kind, Kind::timed_out);
  EXPECT_EQ(outcome.survivors, 0);
  EXPECT_GE(taken, 2050ms);
  EXPECT_LT(taken, 4s);
}

TEST_P(CommandEnd, C_RUN_5_the_next_command_is_not_touched_by_the_end_of_the_last) {
  for (int i = 0; i < 5; ++i) {
    auto spec = script("trap '' TERM; echo ready; while :; do sleep 60; done");
    const auto outcome = run(spec, {.deadline = Deadline::after(200ms)});
    EXPECT_EQ(outcome.kind, Kind::timed_out);
    EXPECT_EQ(outcome.out.head, "ready\n");
    EXPECT_EQ(timeless(run(script("echo next"))), exited(0, "next\n"));
  }
}

TEST_P(CommandEnd, C_RUN_5_a_stopped_command_is_ended_too) {
  EXPECT_EQ(run_for(50ms, "kill -STOP $$").kind, Kind::timed_out);
}

TEST_P(CommandEnd, C_RUN_5_scope_group_leaves_a_daemon_alone) {
  const auto outcome = run_for(300ms,
                               "setsid sh -c 'echo $$ > daemon; exec sleep 60' &\n"
                               "sleep 60 & echo $! > member\n"
                               "until [ -s daemon ]; do sleep 0.01; done; sleep 60",
                               EndScope::group);
  EXPECT_EQ(outcome.kind, Kind::timed_out);
  EXPECT_EQ(outcome.survivors, 0);
  EXPECT_FALSE(is_alive(read_pid(directory_, "member")));
  const auto daemon = read_pid(directory_, "daemon");
  EXPECT_TRUE(is_alive(daemon));
  ::kill(daemon, SIGKILL);
  EXPECT_TRUE(eventually([&] { return ::kill(daemon, 0) != 0; }));
}

TEST_P(CommandEnd, C_RUN_5_cancelling_ends_the_tree) {
  std::stop_source source;
  std::jthread canceller([&] {
    read_pid(directory_, "pid");
    source.request_stop();
  });
  const auto outcome =
      run(script("echo partial; setsid sh -c 'echo $$ > pid; exec sleep 60' & sleep 60"), {.stop = source.get_token()});
  EXPECT_EQ(outcome.kind, Kind::cancelled);
  EXPECT_EQ(outcome.out.head, "partial\n");
  EXPECT_EQ(outcome.survivors, 0);
  EXPECT_FALSE(is_alive(read_pid(directory_, "pid")));
}

TEST_P(CommandEnd, C_VAL_2_a_cancelled_or_late_call_starts_nothing) {
  std::stop_source source;
  source.request_stop();
  EXPECT_THAT(try_run(script("touch ran"), {.stop = source.get_token()}), testing::FailsWith(ErrorCode::cancelled));
  EXPECT_THAT(try_run(script("touch ran"), {.deadline = Deadline::after(0s)}),
              testing::FailsWith(ErrorCode::timed_out));
  EXPECT_FALSE(directory_.exists("ran"));
}

TEST_P(CommandEnd, C_VAL_2_the_deadline_holds_whatever_the_command_does) {
  const auto late = best_of(3, [&](int attempt) {
    const auto directory = "d" + std::to_string(attempt);
    directory_.make_directory(directory);
    auto spec = script(kDaemons);
    spec.cwd = path(directory);
    const auto deadline = Deadline::after(500ms);
    const auto outcome = run(spec, {.deadline = deadline});
    const auto returned = Clock::now();
    EXPECT_EQ(outcome.kind, Kind::timed_out);
    EXPECT_EQ(outcome.out.head, "ready\n");
    EXPECT_TRUE(eventually([&] { return !is_alive(read_pid(directory_, directory + "/stubborn")); }));
    return returned - deadline.when();
  });
  EXPECT_LT(late, 50ms);
}

TEST_P(CommandEnd, C_VAL_2_the_grace_is_cut_by_the_deadline) {
  const auto late = best_of(3, [&](int) {
    auto spec = script("trap '' TERM; while :; do sleep 60; done");
    spec.timeout = 50ms;
    const auto deadline = Deadline::after(300ms);
    EXPECT_EQ(run(spec, {.deadline = deadline}).kind, Kind::timed_out);
    return Clock::now() - deadline.when();
  });
  EXPECT_LT(late, 50ms);
}

TEST_P(CommandEnd, C_RUN_5_a_fork_bomb_is_ended) {
  // Every process starts others as fast as it can and ignores TERM. The files that each of them leaves bound their
  // number, so that a failed test does not take the machine along.
  const auto outcome = run_for(500ms,
                               "mkdir marks; cat > bomb <<'END'\n"
                               "trap '' TERM\n"
                               ": > marks/$$\n"
                               "while :; do set -- marks/*; if [ $# -lt 400 ]; then sh bomb & fi; sleep 0.001; done\n"
                               "END\n"
                               "sh bomb & sleep 60");
  EXPECT_EQ(outcome.kind, Kind::timed_out);
  EXPECT_EQ(outcome.survivors, 0);
}

/// Another process that holds one still by tracing it, until it is destroyed.
class Tracer {
 public:
  explicit Tracer(pid_t victim) {
    int told[2];
    EXPECT_EQ(::pipe(told), 0);
    tracer_ = ::fork();
    if (tracer_ == 0) {
      char held = 0;
      if (::ptrace(PTRACE_SEIZE, victim, nullptr, nullptr) == 0) {
        ::ptrace(PTRACE_INTERRUPT, victim, nullptr, nullptr);
        held = ::waitpid(victim, nullptr, __WALL) == victim ? 1 : 0;
      }
      [[maybe_unused]] const auto written = ::write(told[1], &held, 1);
      for (;;) ::pause();
    }
    ::close(told[1]);
    char held = 0;
    EXPECT_EQ(::read(told[0], &held, 1), 1);
    ::close(told[0]);
    holds_ = held == 1;
  }
  ~Tracer() {
    ::kill(tracer_, SIGKILL);
    ::waitpid(tracer_, nullptr, 0);
  }
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  bool holds() const noexcept { return holds_; }

 private:
  pid_t tracer_ = -1;
  bool holds_ = false;
};

TEST_P(CommandEnd, C_VAL_2_a_keeper_or_supervisor_that_is_held_still_holds_up_one_command_only) {
  make({.env = {}, .start_patience = 500ms});
  const auto expect_held_up = [&](pid_t victim) {
    const Tracer tracer(victim);
    if (!tracer.holds()) {
      // An ordinary user may not trace them at all.
      EXPECT_NE(::geteuid(), 0U);
      return;
    }
    const auto begin = Clock::now();
    EXPECT_THAT(try_run(script("touch ran")), testing::FailsWith(ErrorCode::unavailable));
    EXPECT_LT(Clock::now() - begin, 15s);
    EXPECT_EQ(timeless(run(script("echo next"))), exited(0, "next\n"));
  };
  run(words({"true"}));
  const auto supervisors = children_of(::getpid());
  ASSERT_EQ(supervisors.size(), 1U);
  const auto keepers = children_of(supervisors[0]);
  ASSERT_EQ(keepers.size(), 1U);
  expect_held_up(keepers[0]);
  EXPECT_TRUE(eventually([&] { return !is_alive(keepers[0]); }));
  // On a busy machine the supervisor may have been given up too. Without an idle keeper it has to make one.
  const auto live = children_of(::getpid()).back();
  for (const auto keeper : children_of(live)) ::kill(keeper, SIGKILL);
  EXPECT_TRUE(eventually([&] { return children_of(live).empty(); }));
  expect_held_up(live);
  EXPECT_FALSE(directory_.exists("ran"));
}

TEST_P(CommandEnd, C_RUN_2_a_killed_keeper_is_lost_and_its_tree_is_ended) {
  const auto outcome =
      run(script("setsid sh -c 'echo $$ > pid; exec sleep 60' &\n"
                 "until [ -s pid ]; do sleep 0.01; done; kill -9 $PPID; sleep 60"));
  EXPECT_EQ(outcome.kind, Kind::lost);
  EXPECT_FALSE(outcome.reason.empty());
  EXPECT_EQ(outcome.shell_status(), std::nullopt);
  EXPECT_EQ(outcome.survivors, 0);
  EXPECT_FALSE(is_alive(read_pid(directory_, "pid")));
  EXPECT_EQ(timeless(run(script("echo next"))), exited(0, "next\n"));
}

TEST_P(CommandEnd, C_RUN_2_a_stopped_supervisor_goes_on_with_the_next_command) {
  run(words({"true"}));
  const auto supervisors = children_of(::getpid());
  ASSERT_EQ(supervisors.size(), 1U);
  ::kill(supervisors[0], SIGSTOP);
  // Two at once need a second keeper, which only the supervisor can make.
  std::jthread first([&] { EXPECT_EQ(timeless(run(script("until [ -e go ]; do sleep 0.01; done"))), exited(0)); });
  EXPECT_EQ(timeless(run(script("touch go"), {.deadline = Deadline::after(20s), .stop = {}, .trace_id = {}})),
            exited(0));
}

TEST_P(CommandEnd, C_RUN_2_commands_of_a_user_cannot_reach_into_their_supervisor) {
  ::chmod(directory_.path().c_str(), 0755);
  const pid_t user = ::fork();
  if (user == 0) {
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(100);
    make({});
    // Who may look at a process's descriptors may also trace it.
    ::_exit(run(script("ls /proc/$PPID/fd >/dev/null 2>&1 && exit 7; ls /proc/$$/fd >/dev/null")).exit_code);
  }
  int status = -1;
  ::waitpid(user, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_P(CommandEnd, C_RUN_2_a_killed_supervisor_is_replaced_and_running_commands_end_normally) {
  std::jthread running([&] {
    EXPECT_EQ(timeless(run(script("echo $$ > pid; until [ -e go ]; do sleep 0.01; done; echo whole"))),
              exited(0, "whole\n"));
  });
  read_pid(directory_, "pid");
  const auto supervisors = children_of(::getpid());
  EXPECT_EQ(supervisors.size(), 1U);
  ::kill(supervisors.at(0), SIGKILL);
  EXPECT_TRUE(eventually([&] { return !is_alive(supervisors[0]); }));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(timeless(run(script("echo next"))), exited(0, "next\n"));
  EXPECT_NE(children_of(::getpid()), supervisors);
  directory_.write("go", "");
}

TEST_P(CommandEnd, C_RUN_2_keepers_killed_while_idle_are_replaced) {
  run(words({"true"}));
  const auto supervisors = children_of(::getpid());
  ASSERT_EQ(supervisors.size(), 1U);
  for (const auto keeper : children_of(supervisors[0])) ::kill(keeper, SIGKILL);
  EXPECT_TRUE(eventually([&] { return children_of(supervisors[0]).empty(); }));
  EXPECT_EQ(timeless(run(script("echo next"))), exited(0, "next\n"));
}

TEST_P(CommandEnd, C_RUN_5_stray_signals_do_not_reach_the_keepers) {
  EXPECT_EQ(timeless(run(script("kill -TERM $PPID; kill -INT $PPID; kill -HUP $PPID; echo fine"))),
            exited(0, "fine\n"));
}

TEST_P(CommandEnd, C_RUN_5_a_stopped_keeper_is_continued) {
  EXPECT_EQ(timeless(run(script("kill -STOP $PPID; echo fine"))), exited(0, "fine\n"));
}

TEST_P(CommandEnd, C_RUN_5_the_tree_is_ended_when_the_engines_process_is_killed) {
  const pid_t engine = ::fork();
  if (engine == 0) {
    make({});
    run(script("echo $$ > command; trap '' TERM; setsid sh -c 'echo $$ > daemon; exec sleep 60' & sleep 60; sleep 60"));
    ::_exit(0);
  }
  const auto command = read_pid(directory_, "command");
  const auto daemon = read_pid(directory_, "daemon");
  const auto supervisors = children_of(engine);
  ASSERT_EQ(supervisors.size(), 1U);
  ::kill(engine, SIGKILL);
  ::waitpid(engine, nullptr, 0);
  for (const auto pid : {command, daemon, supervisors[0]}) {
    EXPECT_TRUE(eventually([&] { return !is_alive(pid); })) << pid;
  }
}

TEST_P(CommandEnd, A_process_forked_from_the_callers_starts_a_supervisor_of_its_own) {
  run(words({"true"}));
  const pid_t child = ::fork();
  if (child == 0) ::_exit(run(script("exit 9")).exit_code);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 9);
  EXPECT_EQ(timeless(run(script("echo here"))), exited(0, "here\n"));
}

}  // namespace
}  // namespace berth::engine
