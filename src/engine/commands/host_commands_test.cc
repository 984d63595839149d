#include "engine/commands/host_commands.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <thread>

#include "engine/commands/command_environment.h"
#include "engine/commands/commands_fixture.h"

namespace berth::engine {
namespace {

using testing::FailsWith;
using testing::IsOk;

class HostCommands : public CommandsTest {};
INSTANTIATE_TEST_SUITE_P(Features, HostCommands, ::testing::ValuesIn(feature_sets()), feature_name);

TEST_P(HostCommands, C_RUN_1_argv_is_literal) {
  EXPECT_EQ(timeless(run(words({"printf", "%s|", "$HOME", "a b", "*", "", "-n"}))), exited(0, "$HOME|a b|*||-n|"));
}

TEST_P(HostCommands, C_RUN_1_a_script_runs_under_sh) {
  EXPECT_EQ(timeless(run(script("echo $((1+2)); echo oops >&2; exit 4"))), exited(4, "3\n", "oops\n"));
}

TEST_P(HostCommands, C_RUN_1_a_script_that_starts_with_a_dash_is_a_script) {
  EXPECT_EQ(run(script("-c")).exit_code, 127);
}

TEST_P(HostCommands, C_RUN_1_stdin_is_at_its_end_unless_given) { EXPECT_EQ(timeless(run(words({"cat"}))), exited(0)); }

TEST_P(HostCommands, C_RUN_1_stdin_bytes_arrive_whole) {
  auto spec = words({"cat"});
  spec.stdin_bytes = std::string("a\0b\xff\n", 5);
  EXPECT_EQ(timeless(run(spec)), exited(0, *spec.stdin_bytes));
  spec = words({"wc", "-c"});
  spec.stdin_bytes = std::string(3'000'001, 'x');
  EXPECT_EQ(timeless(run(spec)), exited(0, "3000001\n"));
  spec = words({"cat"});
  spec.stdin_bytes = "";
  EXPECT_EQ(timeless(run(spec)), exited(0));
}

TEST_P(HostCommands, C_RUN_1_a_command_need_not_read_its_stdin) {
  auto spec = words({"true"});
  spec.stdin_bytes = std::string(3'000'000, 'x');
  EXPECT_EQ(timeless(run(spec)), exited(0));
}

TEST(CommandEnvironment, OfAProcessThatClearedItsOwnIsEmpty) {
  EXPECT_EQ(CommandEnvironment(nullptr, {}).build({})->count, 0U);
}

TEST_P(HostCommands, C_RUN_1_the_environment_is_an_allow_list_and_the_workspaces_own) {
  ::setenv("BERTH_TEST_SECRET", "secret", 1);
  ::setenv("LC_TIME", "C", 1);
  make({.env = {{"OWN", "workspace"}, {"SHARED", "workspace"}}});
  auto spec = words({"/usr/bin/env"});
  spec.env = {{"SHARED", "command"}, {"NEW", "a=b\nc"}};
  spec.env_remove = {"LANG", "HOME"};
  const auto text = "\n" + run(spec).out.head;
  EXPECT_EQ(text.find("BERTH_TEST_SECRET"), std::string::npos);
  EXPECT_EQ(text.find("\nHOME="), std::string::npos);
  for (const char* line : {"\nOWN=workspace\n", "\nSHARED=command\n", "\nNEW=a=b\nc\n", "\nLC_TIME=C\n", "\nPATH="}) {
    EXPECT_NE(text.find(line), std::string::npos) << line;
  }
}

TEST_P(HostCommands, C_RUN_1_cwd_is_a_workspace_path) {
  directory_.make_directory("a/b");
  auto spec = words({"/bin/pwd"});
  EXPECT_EQ(run(spec).out.head, directory_.path() + "\n");
  spec.cwd = path("a/b");
  EXPECT_EQ(run(spec).out.head, directory_.at("a/b") + "\n");
}

TEST_P(HostCommands, C_RUN_1_a_cwd_that_is_no_directory_inside_is_an_error) {
  directory_.write("file", "");
  directory_.make_link("out", "/usr");
  directory_.make_directory("real");
  directory_.make_link("in", "real");
  auto spec = words({"true"});
  spec.cwd = path("missing");
  EXPECT_THAT(try_run(spec), FailsWith(ErrorCode::not_found));
  spec.cwd = path("file");
  EXPECT_THAT(try_run(spec), FailsWith(ErrorCode::not_a_directory));
  spec.cwd = path("out");
  EXPECT_THAT(try_run(spec), FailsWith(ErrorCode::path_escape));
  spec.cwd = path("in");
  EXPECT_THAT(try_run(spec), IsOk());
}

TEST_P(HostCommands, C_RUN_1_a_command_starts_with_default_signals_and_only_its_descriptors) {
  struct sigaction ignore {};
  struct sigaction before {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &before);
  const int leaked = ::dup(0);
  make({});
  const auto outcome = run(script("ls /proc/self/fd | wc -l; grep -E 'SigBlk|SigIgn' /proc/self/status"));
  ::close(leaked);
  ::sigaction(SIGPIPE, &before, nullptr);
  // 0, 1, 2 and the one with which ls reads the directory.
  EXPECT_EQ(outcome.out.head, "4\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

TEST_P(HostCommands, C_RUN_2_a_signal_is_told_from_an_exit) {
  const auto outcome = run(script("kill -9 $$"));
  EXPECT_EQ(outcome.kind, Kind::signaled);
  EXPECT_EQ(outcome.signal, SIGKILL);
  EXPECT_EQ(outcome.shell_status(), 137);
  EXPECT_EQ(timeless(run(script("exit 137"))), exited(137));
}

TEST_P(HostCommands, C_RUN_2_a_missing_program_is_127) {
  EXPECT_EQ(timeless(run(words({"no-such-program"}))), exited(127, "", "no-such-program: command not found\n"));
  EXPECT_EQ(timeless(run(words({"./no-such"}))), exited(127, "", "./no-such: not found\n"));
  EXPECT_EQ(timeless(run(words({std::string(5000, 'x')}))).exit_code, 127);
}

TEST_P(HostCommands, C_RUN_2_a_program_that_cannot_be_executed_is_126) {
  directory_.write("plain", "echo hi\n");
  directory_.make_directory("folder");
  directory_.write("lost", "#!/no/such/interpreter\n");
  ::chmod(directory_.at("lost").c_str(), 0755);
  EXPECT_EQ(timeless(run(words({"./plain"}))), exited(126, "", "./plain: permission denied\n"));
  EXPECT_EQ(timeless(run(words({"./folder"}))), exited(126, "", "./folder: is a directory\n"));
  EXPECT_EQ(timeless(run(words({"./lost"}))), exited(126, "", "./lost: its interpreter was not found\n"));
  auto spec = words({"plain"});
  spec.env = {{"PATH", directory_.path() + ":/usr/bin:/bin"}};
  EXPECT_EQ(timeless(run(spec)), exited(126, "", "plain: permission denied\n"));
}

TEST_P(HostCommands, C_RUN_2_a_path_directory_that_cannot_be_used_does_not_turn_127_into_126) {
  directory_.write("file", "");
  directory_.make_directory("shadow/no-such-program");
  auto spec = words({"no-such-program"});
  spec.env = {{"PATH", directory_.at("file") + ":" + directory_.at("shadow") + ":/missing::/usr/bin"}};
  EXPECT_EQ(run(spec).exit_code, 127);
  spec.argv = {"printf", "ok"};
  EXPECT_EQ(timeless(run(spec)), exited(0, "ok"));
}

/// Run checks in a forked process as a user without privileges.
template <typename Check>
void as_unprivileged(Check check) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(1);
    check();
    ::_exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_P(HostCommands, C_RUN_2_a_path_directory_that_may_not_be_searched_does_not_turn_127_into_126) {
  directory_.make_directory("closed");
  ::chmod(directory_.path().c_str(), 0755);
  ::chmod(directory_.at("closed").c_str(), 0);
  as_unprivileged([&] {
    make({});
    auto spec = words({"no-such-program"});
    spec.env = {{"PATH", directory_.at("closed") + ":/usr/bin"}};
    EXPECT_EQ(timeless(run(spec)), exited(127, "", "no-such-program: command not found\n"));
    spec.argv = {"printf", "ok"};
    EXPECT_EQ(timeless(run(spec)), exited(0, "ok"));
    spec.cwd = path("closed");
    EXPECT_THAT(try_run(spec), FailsWith(ErrorCode::permission_denied));
  });
}

TEST_P(HostCommands, A_machine_without_room_for_a_process_is_unavailable) {
  ::chmod(directory_.path().c_str(), 0755);
  as_unprivileged([&] {
    make({});
    run(words({"true"}));
    rlimit limit{};
    ::getrlimit(RLIMIT_NPROC, &limit);
    limit.rlim_cur = 0;
    ::setrlimit(RLIMIT_NPROC, &limit);
    make({});
    EXPECT_THAT(try_run(words({"true"})), FailsWith(ErrorCode::unavailable));
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NPROC, &limit);
    EXPECT_EQ(timeless(run(words({"true"}))), exited(0));
  });
}

TEST_P(HostCommands, C_RUN_2_the_commands_own_path_is_searched_also_after_a_file_that_cannot_be_executed) {
  directory_.write("first/tool", "no");
  directory_.write("second/tool", "#!/bin/sh\necho second\n");
  ::chmod(directory_.at("second/tool").c_str(), 0755);
  auto spec = words({"tool"});
  spec.env = {{"PATH", directory_.at("first") + ":" + directory_.at("second")}};
  EXPECT_EQ(timeless(run(spec)), exited(0, "second\n"));
}

TEST_P(HostCommands, C_RUN_2_a_script_without_interpreter_line_is_run_by_sh) {
  directory_.write("script", "echo \"$0 $1 $#\"\n");
  ::chmod(directory_.at("script").c_str(), 0755);
  EXPECT_EQ(timeless(run(words({"./script", "a b", "c"}))), exited(0, "./script a b 2\n"));
}

TEST_P(HostCommands, C_RUN_2_arguments_beyond_the_kernels_limit_are_126) {
  EXPECT_EQ(timeless(run(words({"true", std::string(200'000, 'x')}))),
            exited(126, "", "true: argument list too long\n"));
  const std::string large(100'000, 'y');
  EXPECT_EQ(run(words({"printf", "%s%s", large, large})).out.total_bytes, 200'000);
}

TEST_P(HostCommands, C_RUN_9_an_unusable_request_is_invalid_argument) {
  std::vector<CommandSpec> specs(11, words({"true"}));
  specs[0].argv.clear();
  specs[1].script = "true";
  specs[2].argv = {""};
  specs[3].argv.push_back(std::string("a\0b", 3));
  specs[4] = script(std::string("a\0b", 3));
  specs[5].timeout = 0ms;
  specs[6].env = {{"A=B", ""}};
  specs[7].env = {{"", ""}};
  specs[8].env = {{"A", std::string("\0", 1)}};
  specs[9].env_remove = {"A=B"};
  specs[10].output.limit = -1;
  for (const auto& spec : specs)
    EXPECT_THAT(try_run(spec), FailsWith(ErrorCode::invalid_argument)) << &spec - specs.data();
}

TEST_P(HostCommands, C_RUN_6_a_directory_deleted_under_a_command_is_environment_gone) {
  EXPECT_THAT(try_run(script("rmdir \"$PWD\"; exit 0")), FailsWith(ErrorCode::environment_gone));
  EXPECT_THAT(try_run(words({"true"})), FailsWith(ErrorCode::environment_gone));
}

TEST_P(HostCommands, C_RUN_7_a_repeated_run_id_returns_the_first_outcome) {
  auto spec = script("echo run >> log; echo $$");
  spec.run_id = "id-1";
  const auto first = run(spec);
  EXPECT_EQ(run(spec), first);
  EXPECT_EQ(directory_.read("log"), "run\n");
}

TEST_P(HostCommands, C_RUN_7_a_repeat_during_the_run_waits_for_it) {
  auto spec = script("echo run >> log; until [ -e go ]; do sleep 0.01; done; echo $$");
  spec.run_id = "id-1";
  std::vector<CommandOutcome> outcomes(4);
  std::vector<std::jthread> threads;
  for (auto& outcome : outcomes) threads.emplace_back([&] { outcome = run(spec); });
  EXPECT_TRUE(eventually([&] { return directory_.exists("log"); }));
  EXPECT_THAT(try_run(spec, {.deadline = Deadline::after(20ms)}), FailsWith(ErrorCode::timed_out));
  directory_.write("go", "");
  threads.clear();
  for (const auto& outcome : outcomes) EXPECT_EQ(outcome, outcomes[0]);
  EXPECT_EQ(outcomes[0].exit_code, 0);
  EXPECT_EQ(directory_.read("log"), "run\n");
}

TEST_P(HostCommands, C_VAL_4_many_commands_run_at_once) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < 64; ++i) {
    threads.emplace_back([&, i] {
      const auto name = std::to_string(i);
      // Every command waits until all 64 are there.
      EXPECT_EQ(timeless(run(script("touch here-" + name +
                                    "; until [ $(ls | grep -c here) = 64 ]; do sleep 0.05; done; echo " + name))),
                exited(0, name + "\n"));
    });
  }
}

TEST_P(HostCommands, Nothing_is_leaked_by_many_runs) {
  run(words({"true"}));
  const auto before = open_descriptors();
  for (int i = 0; i < 300; ++i) ASSERT_EQ(timeless(run(script(i % 3 == 0 ? "sleep 0 & exit 0" : "true"))), exited(0));
  EXPECT_EQ(open_descriptors(), before);
  const auto supervisors = children_of(::getpid());
  ASSERT_EQ(supervisors.size(), 1U);
  EXPECT_TRUE(eventually([&] { return children_of(supervisors[0]).size() <= 2; }));
  commands_.reset();
  EXPECT_TRUE(eventually([&] { return !is_alive(supervisors[0]); }));
  EXPECT_TRUE(children_of(::getpid()).empty());
}

}  // namespace
}  // namespace berth::engine
