#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/call.h"
#include "base/limits.h"
#include "base/result.h"
#include "contract/commands.h"
#include "path/path.h"

namespace berth {

/// Names one job of one environment for as long as its record is kept; never given to another job. Opaque to callers:
/// 1 to 64 bytes of `a-z`, `0-9` and `-`.
struct JobId {
  std::string text;

  auto operator<=>(const JobId&) const = default;
};

/// The size of a terminal in characters; both at least 1.
struct TerminalSize {
  std::uint16_t rows = 24;
  std::uint16_t columns = 80;

  bool operator==(const TerminalSize&) const = default;
};

/// A command to run in the background (C-RUN-8).
struct JobSpec {
  /// As for `CommandRunner::run`, with these differences. `stdin_bytes` absent: standard input stays open for
  /// `write_stdin`; given: the command reads these bytes, then the end (not on a terminal). `timeout`: the job is ended
  /// as by `stop`, within `end_scope`. `output` means nothing: output goes to the journal. `run_id` not empty: a start
  /// that is repeated with it gives the job that the first one made, whatever else the repeated spec says, until that
  /// job is forgotten.
  CommandSpec command;
  std::string name;                      ///< for people; need not be unique; at most 255 bytes without NUL
  std::optional<TerminalSize> terminal;  ///< run it on a terminal of this size: one stream, `out`

  bool operator==(const JobSpec&) const = default;
};

enum class JobState : std::uint8_t {
  running,
  exited,    ///< with `exit_code`; 127 not found, 126 not executable
  signaled,  ///< by `signal`
  lost       ///< nobody saw how it ended: `reason` says why; never invented, never 0
};

/// Why a job is no longer running.
enum class JobEndedBy : std::uint8_t {
  itself,  ///< or whoever sent it a signal
  stop,    ///< `stop`, or `signal` with SIGKILL
  timeout
};

enum class JobStream : std::uint8_t { out, err };

/// What became of one output stream so far.
struct JobStreamTotals {
  std::int64_t total_bytes = 0;    ///< what the job wrote, as far as it was read
  std::int64_t dropped_bytes = 0;  ///< of these, what the journal does not hold (any more)

  bool operator==(const JobStreamTotals&) const = default;
};

/// What is known of a job. The environment and the standard input of its command are recorded nowhere.
struct JobInfo {
  JobId id;
  std::string name;
  std::vector<Bytes> argv;  ///< as it was started, like `script` and `cwd`
  Bytes script;
  Path cwd;
  std::optional<TerminalSize> terminal;  ///< of its start

  JobState state = JobState::lost;
  int exit_code = 0;
  int signal = 0;
  JobEndedBy ended_by = JobEndedBy::itself;
  std::string reason;  ///< for lost
  /// Processes of a job that was stopped which could not be ended; 0 is the promise (C-RUN-5).
  std::int64_t survivors = 0;
  /// It has ended, and processes it left behind on purpose still run. `stop` ends them.
  bool left_processes = false;
  bool stdin_open = false;  ///< `write_stdin` may still reach it

  std::chrono::sys_time<std::chrono::milliseconds> started_at{};
  std::chrono::sys_time<std::chrono::milliseconds> ended_at{};  ///< when it has ended; lost: when that was found
  std::chrono::milliseconds duration{};                         ///< so far, or to its end; lost: 0
  std::int64_t process = 0;  ///< id of the command's process, for people: it may be another's once the job has ended

  JobStreamTotals out;
  JobStreamTotals err;

  bool has_ended() const noexcept { return state != JobState::running; }

  /// The number a shell would show: the exit code, 128 + signal; nothing when there is none.
  std::optional<int> shell_status() const noexcept {
    if (state == JobState::exited) return exit_code;
    if (state == JobState::signaled) return 128 + signal;
    return std::nullopt;
  }

  bool operator==(const JobInfo&) const = default;
};

/// Which output to read.
struct JobRead {
  JobStream stream = JobStream::out;
  std::int64_t offset = 0;                      ///< of the first byte, counted from the start of the stream
  std::int64_t max_bytes = limits::kPageBytes;  ///< must be > 0
  std::chrono::milliseconds wait{};             ///< how long to wait for the first byte while the job runs

  bool operator==(const JobRead&) const = default;
};

/// A page of a stream. To follow it, read on at `next_offset` until `ended`.
struct JobOutput {
  Bytes content;
  std::int64_t offset = 0;         ///< of `content`; later than asked when what stood there was dropped
  std::int64_t next_offset = 0;    ///< where to read on
  std::int64_t dropped_bytes = 0;  ///< between the offset asked for and `offset`
  std::int64_t total_bytes = 0;    ///< of the stream now
  bool ended = false;              ///< the job has ended and nothing comes after this page

  bool operator==(const JobOutput&) const = default;
};

/// Whether standard input ends after what is written.
enum class StdinEnd : std::uint8_t { open, close };

struct StdinOutcome {
  std::int64_t accepted_bytes = 0;  ///< handed over; fewer than given when nobody reads on
  bool open = false;                ///< more may be written

  bool operator==(const StdinOutcome&) const = default;
};

enum class SignalOutcome : std::uint8_t { delivered, already_ended };

/// Run commands in the background, whose output and end outlive every caller (C-RUN-8): this process, the connection
/// to it, and our own restart. A second process that opens the same environment finds the same jobs.
///
/// Every method but `start` and `list` fails with `not_found` for an id that names no job, or one that was forgotten.
/// That a job has ended is no error: each method says what that means for it. Records of ended jobs are kept until
/// `forget`, or until they are older than `limits::kJobAge` or more than `limits::kJobRecords`, the oldest end first.
/// Safe from many threads and processes at once.
class JobControl {
 public:
  virtual ~JobControl() = default;

  /// Start a job and return at once. Its record is there before its first process is, so that no job runs unrecorded,
  /// and nothing is left of a start that fails. A program that cannot be executed is a job that exits with 126 or 127.
  /// Errors: those of `CommandRunner::run`; `unavailable` when no process or no record can be made, or when
  /// `limits::kJobRecords` jobs run. After `timed_out` or `cancelled` the job may have started: repeat with `run_id`.
  virtual Result<JobInfo> start(const Call& call, const JobSpec& spec) = 0;

  /// List all jobs that are recorded, the oldest start first.
  virtual Result<std::vector<JobInfo>> list(const Call& call) = 0;

  virtual Result<JobInfo> get(const Call& call, const JobId& id) = 0;

  /// Read output from any offset, as often as wanted, by any number of readers at once, while the job runs and after.
  /// At the end of what is there: waits up to `wait` for more, then an empty page. Past the end: `offset_out_of_range`
  /// with `offset` and `total_bytes`. All that was written before the job ended is there, unless it was dropped:
  /// beyond `limits::kJobJournal` bytes of a stream the oldest are, but for the beginning; what a full disk did not
  /// take is dropped too. The job never waits for either. `err` of a job on a terminal is empty.
  virtual Result<JobOutput> read(const Call& call, const JobId& id, const JobRead& request) = 0;

  /// Write to the job's standard input. Waits until it took all of it; at the call's end `timed_out` or `cancelled`
  /// with `accepted_bytes`. Closed or ended already: an outcome with `open == false`. Writes from several callers at
  /// once may mix beyond 4,096 bytes. On a terminal `close` types the end-of-file character, and input stays open.
  virtual Result<StdinOutcome> write_stdin(const Call& call, const JobId& id, BytesView content, StdinEnd end) = 0;

  /// Send a signal to the job's process group; SIGKILL ends everything the job started, as `stop` without a grace.
  /// Never reaches a process that is not the job's. A number that is no signal: `invalid_argument`.
  virtual Result<SignalOutcome> signal(const Call& call, const JobId& id, int number) = 0;

  /// End everything the job started, children with their own session and double forks included (C-RUN-5), also what an
  /// ended job left behind: TERM, the grace, KILL. Returns when it has ended; ended already: how it did. At the call's
  /// end: `timed_out` or `cancelled`, and the ending goes on.
  virtual Result<JobInfo> stop(const Call& call, const JobId& id, std::chrono::milliseconds grace) = 0;

  /// Wait until the job has ended, or as long as given, and tell how it is then.
  virtual Result<JobInfo> wait(const Call& call, const JobId& id, std::optional<std::chrono::milliseconds> at_most) = 0;

  /// Change the size of the job's terminal; its foreground processes are told by SIGWINCH. Without a terminal, or with
  /// a size of 0: `invalid_argument`. Ended already: nothing to do.
  virtual Result<void> resize(const Call& call, const JobId& id, TerminalSize size) = 0;

  /// Remove the record and the journal of an ended job. What it left behind lives on. Running: `conflict`.
  virtual Result<void> forget(const Call& call, const JobId& id) = 0;
};

}  // namespace berth
