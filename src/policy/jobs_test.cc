#include "policy/audit.h"
#include "policy/confined.h"
#include "policy/limits.h"
#include "policy/policy_fixture.h"
#include "policy/read_only.h"
#include "policy/sensitive.h"

// What each policy makes of jobs (C-RUN-8).
namespace berth {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using testing::IsOk;
using testing::path_of;
using namespace std::chrono_literals;

class JobPolicies : public PolicyTest {
 protected:
  JobPolicies() { memory->file("view/a.txt", "x").file("view/sub/b.txt", "x").file("other/c.txt", "x"); }

  static JobSpec job_in(std::string_view directory, std::string script = "make") {
    JobSpec spec;
    spec.command.script = std::move(script);
    spec.command.cwd = path_of(directory);
    return spec;
  }

  /// Start a job behind the policies' back.
  JobId start_outside(std::string_view directory) { return memory->jobs()->start(call, job_in(directory)).value().id; }

  /// Everything that can be asked of one job.
  std::vector<Result<void>> ask_everything(const JobId& id) {
    const auto told = [](const auto& result) -> Result<void> {
      if (!result) return result.error();
      return {};
    };
    return {told(workspace->job(call, id)),
            told(workspace->read_job(call, id)),
            told(workspace->write_job_stdin(call, id, "x")),
            told(workspace->close_job_stdin(call, id)),
            told(workspace->signal_job(call, id, 15)),
            told(workspace->wait_job(call, id)),
            told(workspace->resize_job(call, id, {})),
            told(workspace->stop_job(call, id)),
            told(workspace->forget_job(call, id))};
  }
};

TEST_F(JobPolicies, C_POL_1_read_only_offers_no_jobs) {
  const auto id = start_outside(".");
  wrap(make_read_only);
  open();
  EXPECT_FALSE(workspace->capabilities().jobs);
  EXPECT_THAT(workspace->start_job(call, job_in(".")), FailsWith(ErrorCode::read_only));
  EXPECT_THAT(workspace->list_jobs(call), FailsWith(ErrorCode::read_only));
  for (const auto& answer : ask_everything(id)) EXPECT_THAT(answer, FailsWith(ErrorCode::read_only));
}

TEST_F(JobPolicies, C_POL_1_sensitive_treats_jobs_as_commands) {
  wrap(make_sensitive, default_sensitive_policy());
  open();
  const auto job = workspace->start_job(call, job_in("other"));
  ASSERT_THAT(job, IsOk());
  for (const auto& answer : ask_everything(job->id)) EXPECT_THAT(answer, IsOk());
}

TEST_F(JobPolicies, C_POL_1_confined_starts_jobs_inside_and_sees_no_others) {
  memory->link("view/up", "../other");
  const auto inside = start_outside("view/sub");
  const auto outside = start_outside("other");
  wrap(make_confined, path_of("view"));
  open();
  const auto job = workspace->start_job(call, job_in("sub"));
  ASSERT_THAT(job, IsOk());
  EXPECT_EQ(job->cwd, path_of("sub"));
  EXPECT_EQ(memory->calls.back(), "start_job make in view/sub");
  EXPECT_THAT(workspace->start_job(call, job_in("up")), FailsWith(ErrorCode::path_escape));
  const auto listed = workspace->list_jobs(call);
  ASSERT_THAT(listed, IsOk());
  ASSERT_EQ(listed->size(), 2U);
  EXPECT_EQ((*listed)[0].id, inside);
  EXPECT_EQ((*listed)[0].cwd, path_of("sub"));
  EXPECT_EQ((*listed)[1].id, job->id);
  EXPECT_EQ(workspace->job(call, inside)->cwd, path_of("sub"));
  EXPECT_EQ(workspace->wait_job(call, inside)->cwd, path_of("sub"));
  for (const auto& answer : ask_everything(outside)) EXPECT_THAT(answer, FailsWith(ErrorCode::not_found));
  EXPECT_THAT(memory->calls, ::testing::Not(::testing::Contains("stop_job " + outside.text)));
  for (const auto& answer : ask_everything(inside)) EXPECT_THAT(answer, IsOk());
}

TEST_F(JobPolicies, C_POL_1_limits_hold_for_jobs_too) {
  wrap(make_limited, LimitPolicy{.max_write_bytes = 10, .max_command_time = 5000ms, .max_output_bytes = 3});
  open();
  const auto job = workspace->start_job(call, job_in(".", "a long script"));
  ASSERT_THAT(job, IsOk());
  EXPECT_EQ(memory->calls.back(), "start_job a long script in . for 5000");
  auto brief = job_in(".");
  brief.command.timeout = 7ms;
  ASSERT_THAT(workspace->start_job(call, brief), IsOk());
  EXPECT_EQ(memory->calls.back(), "start_job make in . for 7");
  EXPECT_EQ(workspace->read_job(call, job->id)->content, "a l");
  EXPECT_THAT(workspace->write_job_stdin(call, job->id, "more than ten"), FailsWith(ErrorCode::too_large));
  for (const auto& answer : ask_everything(job->id)) EXPECT_THAT(answer, IsOk());
}

TEST_F(JobPolicies, C_POL_5_what_is_done_to_jobs_is_recorded_and_nothing_of_what_they_read) {
  const auto log = std::make_shared<MemoryAuditLog>();
  wrap(make_audited, log, AuditOptions{.actor = "agent"});
  open();
  const auto job = workspace->start_job(call, job_in("view", "echo secret"));
  ASSERT_THAT(job, IsOk());
  ASSERT_THAT(workspace->write_job_stdin(call, job->id, "secret"), IsOk());
  ASSERT_THAT(workspace->signal_job(call, job->id, 1), IsOk());
  ASSERT_THAT(workspace->stop_job(call, job->id), IsOk());
  ASSERT_THAT(workspace->signal_job(call, job->id, 1), IsOk());
  ASSERT_THAT(workspace->forget_job(call, job->id), IsOk());
  ASSERT_THAT(workspace->forget_job(call, job->id), FailsWith(ErrorCode::not_found));
  std::vector<std::string> lines;
  for (const auto& event : log->events()) {
    lines.push_back(event.operation + " " + event.job + " " + event.path.text() + " " + event.outcome + " " +
                    std::to_string(event.status.value_or(-1)));
    EXPECT_EQ(event.actor, "agent");
    EXPECT_EQ(to_json_line(event).find("secret"), std::string::npos);
  }
  EXPECT_THAT(lines,
              ElementsAre("start_job job-1 view ok -1", "write_job_stdin job-1 . ok -1", "signal_job job-1 . ok 1",
                          "stop_job job-1 . ok 143", "signal_job job-1 . already_ended 1", "forget_job job-1 . ok -1",
                          "forget_job job-1 . not_found -1"));
  EXPECT_EQ(log->events().front().program, "/bin/sh");
  EXPECT_NE(to_json_line(log->events()[1]).find("\"job\":\"job-1\""), std::string::npos);
}

}  // namespace
}  // namespace berth
