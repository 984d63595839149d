#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/commands/commands_fixture.h"
#include "engine/jobs/host_jobs.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

// What the tests of this folder share.
namespace berth::engine {

/// A workspace, a place for the records outside it, and jobs that are stopped at the end of each test.
class JobsTest : public ::testing::TestWithParam<FeatureSet> {
 protected:
  void SetUp() override { jobs_ = make(); }

  void TearDown() override {
    if (jobs_ == nullptr) return;
    const auto left = jobs_->list(soon());
    ASSERT_THAT(left, testing::IsOk());
    for (const auto& job : *left) EXPECT_THAT(jobs_->stop(soon(), job.id, 0ms), testing::IsOk());
  }

  /// Another object on the same jobs, as another process would have.
  std::unique_ptr<JobControl> make(JobOptions options = {}) {
    auto root = os::Root::open({directory_.path()}, {.features = features()});
    EXPECT_THAT(root, testing::IsOk());
    if (options.state_directory.empty()) options.state_directory = state_.at("berth");
    auto jobs = make_host_jobs(*root, "key", std::move(options));
    EXPECT_THAT(jobs, testing::IsOk());
    return jobs ? std::move(jobs).value() : nullptr;
  }

  static os::Features features() { return GetParam().features; }
  static Call soon() { return {.deadline = Deadline::after(30s), .stop = {}, .trace_id = {}}; }

  static JobSpec script(std::string text) {
    JobSpec spec;
    spec.command.script = std::move(text);
    return spec;
  }
  static JobSpec words(std::vector<std::string> argv) {
    JobSpec spec;
    spec.command.argv = std::move(argv);
    return spec;
  }

  JobInfo start(const JobSpec& spec) {
    auto info = jobs_->start(soon(), spec);
    EXPECT_THAT(info, testing::IsOk());
    return info ? *std::move(info) : JobInfo{};
  }
  JobInfo get(const JobId& id) {
    auto info = jobs_->get(soon(), id);
    EXPECT_THAT(info, testing::IsOk());
    return info ? *std::move(info) : JobInfo{};
  }
  JobInfo wait(const JobId& id) {
    auto info = jobs_->wait(soon(), id, std::nullopt);
    EXPECT_THAT(info, testing::IsOk());
    return info ? *std::move(info) : JobInfo{};
  }
  JobOutput read(const JobId& id, const JobRead& request = {}) {
    auto output = jobs_->read(soon(), id, request);
    EXPECT_THAT(output, testing::IsOk());
    return output ? *std::move(output) : JobOutput{};
  }

  /// Follow a stream from an offset to its end.
  static Bytes follow(JobControl& jobs, const JobId& id, JobStream stream = JobStream::out, std::int64_t offset = 0,
                      std::int64_t page_bytes = limits::kPageBytes) {
    Bytes all;
    while (true) {
      const auto page =
          jobs.read(soon(), id, {.stream = stream, .offset = offset, .max_bytes = page_bytes, .wait = 20s});
      EXPECT_THAT(page, testing::IsOk());
      if (!page) return all;
      EXPECT_EQ(page->offset, offset) << "dropped";
      all += page->content;
      offset = page->next_offset;
      if (page->ended) return all;
    }
  }

  /// Follow until the output holds a text.
  bool await_output(const JobId& id, std::string_view text) {
    Bytes all;
    for (std::int64_t offset = 0; all.find(text) == Bytes::npos;) {
      const auto page = read(id, {.stream = JobStream::out, .offset = offset, .wait = 10s});
      if (page.next_offset == offset) return false;
      all += page.content;
      offset = page.next_offset;
    }
    return true;
  }

  static std::string name_of(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/comm");
    std::string name;
    std::getline(file, name);
    return name;
  }

  static pid_t parent_of(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    // One that goes while it is read has no parent; an iterator over the buffer would throw.
    if (!std::getline(file, text) || text.rfind(')') == std::string::npos) return 0;
    return static_cast<pid_t>(std::atoi(text.substr(text.rfind(')') + 4).c_str()));
  }

  /// The two that watch a job, by its process.
  struct Watchers {
    pid_t keeper;
    pid_t guardian;
  };
  static Watchers watchers_of(const JobInfo& job) {
    const pid_t keeper = parent_of(static_cast<pid_t>(job.process));
    const pid_t guardian = parent_of(keeper);
    EXPECT_EQ(name_of(keeper), "berth-job");
    EXPECT_EQ(name_of(guardian), "berth-guardian");
    return {keeper, guardian};
  }

  std::string record(const JobId& id) const { return "berth/jobs/key/" + id.text; }

  static Path path(std::string_view text) { return *parse_path(text, {}); }

  testing::TempDir directory_;
  testing::TempDir state_;
  std::unique_ptr<JobControl> jobs_;
};

}  // namespace berth::engine

namespace berth {

inline void PrintTo(const JobInfo& info, std::ostream* stream) {
  *stream << info.id.text << " state " << static_cast<int>(info.state) << " code " << info.exit_code << " signal "
          << info.signal << " by " << static_cast<int>(info.ended_by) << " reason \"" << info.reason << "\" out "
          << info.out.total_bytes << "-" << info.out.dropped_bytes << " err " << info.err.total_bytes << " survivors "
          << info.survivors << " left " << info.left_processes;
}

inline void PrintTo(const JobOutput& output, std::ostream* stream) {
  *stream << "\"" << output.content.substr(0, 200) << "\" at " << output.offset << " next " << output.next_offset
          << " dropped " << output.dropped_bytes << " total " << output.total_bytes << " ended " << output.ended;
}

}  // namespace berth
