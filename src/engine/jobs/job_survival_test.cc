#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "engine/jobs/jobs_fixture.h"
#include "engine/jobs/keeper_connection.h"

// What happens to jobs when processes are killed: the one that started them, those that watch them, and the machine's.
namespace berth::engine {
namespace {

using testing::FailsWith;
using testing::IsOk;

class JobSurvival : public JobsTest {};
INSTANTIATE_TEST_SUITE_P(Features, JobSurvival, ::testing::ValuesIn(feature_sets()), feature_name);

TEST_P(JobSurvival, C_RUN_8_a_job_survives_the_kill_of_the_process_that_started_it) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t starter = ::fork();
  if (starter == 0) {
    const auto job = make()->start(soon(), script("echo begin; read line; echo \"$line\"; exit 7"));
    const std::string id = job ? job->id.text : "failed";
    [[maybe_unused]] const auto written = ::write(ends[1], id.data(), id.size());
    ::close(ends[1]);
    ::pause();
  }
  ::close(ends[1]);
  char buffer[100];
  const auto got = ::read(ends[0], buffer, sizeof buffer);
  ::close(ends[0]);
  ASSERT_GT(got, 0);
  const JobId id{std::string(buffer, static_cast<std::size_t>(got))};
  ASSERT_EQ(::kill(starter, SIGKILL), 0);
  ::waitpid(starter, nullptr, 0);

  EXPECT_EQ(get(id).state, JobState::running);
  EXPECT_TRUE(await_output(id, "begin\n"));
  EXPECT_THAT(jobs_->write_stdin(soon(), id, "after\n", StdinEnd::open), IsOk());
  EXPECT_EQ(follow(*jobs_, id), "begin\nafter\n");
  EXPECT_EQ(follow(*jobs_, id, JobStream::out, 6), "after\n");
  EXPECT_EQ(wait(id).exit_code, 7);
}

TEST_P(JobSurvival, C_RUN_8_a_job_whose_keeper_is_killed_is_lost_and_nothing_of_it_survives) {
  const auto job = start(script("echo begin; setsid sleep 1000 & echo $! > pid.new; mv pid.new pid; sleep 1000"));
  const pid_t inner = read_pid(directory_, "pid");
  ASSERT_TRUE(await_output(job.id, "begin"));
  ASSERT_EQ(::kill(watchers_of(job).keeper, SIGKILL), 0);
  const auto lost = wait(job.id);
  EXPECT_EQ(lost.state, JobState::lost);
  EXPECT_EQ(lost.reason, "the process that watched it was killed");
  EXPECT_EQ(lost.shell_status(), std::nullopt);
  EXPECT_FALSE(is_alive(static_cast<pid_t>(job.process)));
  EXPECT_FALSE(is_alive(inner));
  EXPECT_EQ(get(job.id), lost);
}

TEST_P(JobSurvival, C_RUN_8_output_of_a_lost_job_is_still_there) {
  const auto job = start(script("echo begin; sleep 1000"));
  ASSERT_TRUE(await_output(job.id, "begin"));
  ASSERT_EQ(::kill(watchers_of(job).keeper, SIGKILL), 0);
  EXPECT_EQ(wait(job.id).out, (JobStreamTotals{.total_bytes = 6, .dropped_bytes = 0}));
  EXPECT_EQ(follow(*jobs_, job.id), "begin\n");
}

TEST_P(JobSurvival, C_RUN_8_a_job_needs_no_guardian) {
  const auto job = start(script("read line; echo $line"));
  ASSERT_EQ(::kill(watchers_of(job).guardian, SIGKILL), 0);
  EXPECT_THAT(jobs_->write_stdin(soon(), job.id, "x\n", StdinEnd::open), IsOk());
  EXPECT_EQ(follow(*jobs_, job.id), "x\n");
  EXPECT_EQ(wait(job.id).state, JobState::exited);
}

TEST_P(JobSurvival, C_RUN_8_a_job_without_anybody_who_watched_is_lost_in_every_process_alike) {
  const auto job = start(words({"sleep", "1000"}));
  const auto watchers = watchers_of(job);
  ASSERT_EQ(::kill(watchers.guardian, SIGKILL), 0);
  ASSERT_EQ(::kill(watchers.keeper, SIGKILL), 0);
  const auto lost = wait(job.id);
  EXPECT_EQ(lost.state, JobState::lost);
  EXPECT_EQ(lost.reason, "the processes that watched it were killed, and how it ended is not known");
  EXPECT_EQ(*make()->get(soon(), job.id), lost);
  EXPECT_THAT(jobs_->forget(soon(), job.id), IsOk());
  ::kill(static_cast<pid_t>(job.process), SIGKILL);
}

TEST_P(JobSurvival, C_RUN_8_a_job_of_an_earlier_start_of_the_machine_is_lost_and_says_so) {
  const auto job = wait(start(words({"true"})).id);
  auto spec = state_.read(record(job.id) + "/spec");
  const auto at = spec.find("boot_id=") + 8;
  spec.replace(at, spec.find('\n', at) - at, "another");
  state_.write("berth/jobs/key/earlier/spec", spec);
  state_.write("berth/jobs/key/earlier/out.00000000000000000000", "partial");
  const auto lost = get({"earlier"});
  EXPECT_EQ(lost.state, JobState::lost);
  EXPECT_EQ(lost.reason, "the machine was restarted while it ran");
  EXPECT_EQ(lost.out.total_bytes, 7);
  EXPECT_EQ(follow(*jobs_, {"earlier"}), "partial");
}

TEST_P(JobSurvival, C_RUN_8_a_stopped_keeper_is_continued) {
  const auto job = start(script("read line; echo $line"));
  ASSERT_EQ(::kill(watchers_of(job).keeper, SIGSTOP), 0);
  EXPECT_THAT(jobs_->write_stdin(soon(), job.id, "x\n", StdinEnd::open), IsOk());
  EXPECT_EQ(follow(*jobs_, job.id), "x\n");
}

TEST_P(JobSurvival, C_RUN_8_a_job_that_kills_its_keeper_is_lost_and_ended) {
  const auto job = start(script("kill -9 $PPID; sleep 1000"));
  EXPECT_EQ(wait(job.id).state, JobState::lost);
  EXPECT_FALSE(is_alive(static_cast<pid_t>(job.process)));
}

TEST_P(JobSurvival, C_RUN_8_connections_that_ask_nothing_keep_nobody_out) {
  const auto job = start(words({"sleep", "1000"}));
  const os::Fd directory(::open(state_.at(record(job.id)).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  std::vector<std::optional<KeeperConnection>> idle;
  for (int i = 0; i < 400; ++i) {
    auto connection = KeeperConnection::open(soon(), directory.get());
    ASSERT_THAT(connection, IsOk());
    idle.push_back(*std::move(connection));
  }
  EXPECT_EQ(get(job.id).state, JobState::running);
}

TEST_P(JobSurvival, C_RUN_8_a_job_whose_record_is_removed_by_hand_is_ended) {
  const auto job = start(words({"sleep", "1000"}));
  ASSERT_EQ(std::system(("rm -rf " + state_.at(record(job.id))).c_str()), 0);
  EXPECT_THAT(jobs_->get(soon(), job.id), FailsWith(ErrorCode::not_found));
  EXPECT_TRUE(eventually([&] { return !is_alive(static_cast<pid_t>(job.process)); }));
}

TEST_P(JobSurvival, C_RUN_8_what_a_forgotten_job_left_behind_lives_on) {
  const auto job = start(script("sleep 1000 & echo $! > pid.new; mv pid.new pid"));
  wait(job.id);
  const pid_t left = read_pid(directory_, "pid");
  EXPECT_THAT(jobs_->forget(soon(), job.id), IsOk());
  ::poll(nullptr, 0, 100);
  EXPECT_TRUE(is_alive(left));
  ::kill(left, SIGKILL);
}

}  // namespace
}  // namespace berth::engine
