#include "tools/job_fields.h"

#include <chrono>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace berth {
namespace {

using tools::EnumName;

std::string utc(std::chrono::sys_time<std::chrono::milliseconds> time) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(time);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(std::chrono::system_clock::to_time_t(whole)),
                     (time - whole).count());
}

/// A value that only some jobs have.
template <typename T>
std::optional<T> when(bool there, T value) {
  return there ? std::optional<T>(std::move(value)) : std::nullopt;
}

}  // namespace

std::span<const EnumName<JobState>> enum_names(JobState) {
  using enum JobState;
  static constexpr EnumName<JobState> kNames[] = {
      {running, "running"}, {exited, "exited"}, {signaled, "signaled"}, {lost, "lost"}};
  return kNames;
}

std::span<const EnumName<JobEndedBy>> enum_names(JobEndedBy) {
  using enum JobEndedBy;
  static constexpr EnumName<JobEndedBy> kNames[] = {{itself, "itself"}, {stop, "stop"}, {timeout, "timeout"}};
  return kNames;
}

const tools::Fields<JobStreamTotals>& json_fields(const JobStreamTotals*) {
  static const auto table = tools::Fields<JobStreamTotals>()
                                .field("total_bytes", &JobStreamTotals::total_bytes, "Printed so far")
                                .field("dropped_bytes", &JobStreamTotals::dropped_bytes, "Of these, no longer kept");
  return table;
}

const tools::Fields<JobInfo>& json_fields(const JobInfo*) {
  using Number = std::int64_t;
  static const auto table =
      tools::Fields<JobInfo>()
          .computed(
              "id", [](const JobInfo& job) { return job.id.text; }, "")
          .computed_bytes(
              "name", [](const JobInfo& job) { return when(!job.name.empty(), job.name); }, "")
          .field("state", &JobInfo::state, "lost: nobody saw how it ended")
          .computed(
              "exit_code",
              [](const JobInfo& job) { return when<Number>(job.state == JobState::exited, job.exit_code); },
              "127: not found, 126: not executable")
          .computed(
              "signal", [](const JobInfo& job) { return when<Number>(job.state == JobState::signaled, job.signal); },
              "That ended it")
          .computed(
              "reason", [](const JobInfo& job) { return when(job.state == JobState::lost, job.reason); },
              "Why its end is not known")
          .computed(
              "shell_status", [](const JobInfo& job) -> std::optional<Number> { return job.shell_status(); },
              "The number that a shell would show")
          .computed(
              "ended_by", [](const JobInfo& job) { return when(job.has_ended(), job.ended_by); }, "")
          .computed(
              "survivors", [](const JobInfo& job) { return when(job.has_ended(), job.survivors); },
              "Processes that could not be ended")
          .computed(
              "left_processes", [](const JobInfo& job) { return when(job.has_ended(), job.left_processes); },
              "Something that it started still runs; stopping it ends that too")
          .computed(
              "stdin_open", [](const JobInfo& job) { return when(!job.has_ended(), job.stdin_open); }, "It takes input")
          .computed_bytes(
              "script", [](const JobInfo& job) { return when(job.argv.empty(), job.script); }, "")
          .computed(
              "argv",
              [](const JobInfo& job) {
                return when(!job.argv.empty(), std::vector<std::string>(job.argv.begin(), job.argv.end()));
              },
              "")
          .bytes("cwd", &JobInfo::cwd, "")
          .computed(
              "terminal_rows",
              [](const JobInfo& job) {
                return when<Number>(job.terminal.has_value(), job.terminal.value_or(TerminalSize{}).rows);
              },
              "When it runs on a terminal")
          .computed(
              "terminal_columns",
              [](const JobInfo& job) {
                return when<Number>(job.terminal.has_value(), job.terminal.value_or(TerminalSize{}).columns);
              },
              "")
          .field("process", &JobInfo::process, "Its process id")
          .computed(
              "started_at", [](const JobInfo& job) { return utc(job.started_at); }, "")
          .computed(
              "ended_at", [](const JobInfo& job) { return when(job.has_ended(), utc(job.ended_at)); }, "")
          .computed(
              "duration_ms", [](const JobInfo& job) -> Number { return job.duration.count(); }, "")
          .computed(
              "stdout", [](const JobInfo& job) { return job.out; }, "")
          .computed(
              "stderr", [](const JobInfo& job) { return job.err; }, "");
  return table;
}

}  // namespace berth
