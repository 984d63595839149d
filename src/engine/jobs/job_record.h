#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "contract/jobs.h"

namespace berth::engine {

/// How a job was started: the file `spec` in its directory. Lines of `name=value`, where `\n` and `\\` stand for a
/// newline and a backslash. It holds neither environment nor standard input.
struct JobSpecRecord {
  std::string name;
  std::vector<Bytes> argv;
  Bytes script;
  Path cwd;
  std::string run_id;
  std::string boot_id;  ///< of the machine's start in which it was started
  std::optional<TerminalSize> terminal;
  std::chrono::sys_time<std::chrono::milliseconds> started_at{};

  bool operator==(const JobSpecRecord&) const = default;
};

Bytes render(const JobSpecRecord& record);
/// Nothing for what is no record of a version we know.
std::optional<JobSpecRecord> parse_spec_record(BytesView text);

/// How a job ended: the file `exit`, written by its keeper (see keeper/exit_record.h), or by who found it lost.
struct JobExitRecord {
  JobState state = JobState::lost;
  int number = 0;  ///< exit code or signal
  JobEndedBy ended_by = JobEndedBy::itself;
  std::string reason;
  std::int64_t survivors = 0;
  std::int64_t process = 0;
  std::chrono::sys_time<std::chrono::milliseconds> ended_at{};
  std::chrono::milliseconds duration{};
  JobStreamTotals out;
  JobStreamTotals err;

  bool operator==(const JobExitRecord&) const = default;
};

Bytes render(const JobExitRecord& record);
std::optional<JobExitRecord> parse_exit_record(BytesView text);

/// The name of this start of the machine; empty where the system does not tell.
std::string current_boot_id();

}  // namespace berth::engine
