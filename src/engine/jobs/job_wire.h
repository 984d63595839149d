#pragma once

#include <cstdint>
#include <type_traits>

#include "engine/commands/wire.h"

/// What the engine and the keeper of a job say to each other, and what the keeper leaves in the job's directory.
///
/// The start goes over a socket pair. Everything later goes over the SOCK_SEQPACKET socket `control` in the job's
/// directory, where each connection carries one `JobRequest` at a time and one `JobStatus` for each. Another build of
/// this program may have started the job: `JobRequest::version` is checked, and the structs grow only by a new one.
namespace berth::job_wire {

inline constexpr std::uint32_t kVersion = 1;

// Names in a job's directory.
inline constexpr char kControlName[] = "control";  ///< the keeper's socket
inline constexpr char kGuardName[] = "guard";      ///< locked (flock) by the guardian for as long as it lives
inline constexpr char kSpecName[] = "spec";        ///< how it was started; written by the engine
inline constexpr char kExitName[] = "exit";        ///< how it ended; appears whole
inline constexpr char kExitTempName[] = "exit.new";

/// A segment of a stream's journal: `out.` or `err.` and the offset of its first byte in 20 digits. It holds bytes that
/// follow each other; where one ends before the next begins, output was dropped.
inline constexpr const char* kSegmentPrefix[2] = {"out.", "err."};
inline constexpr int kSegmentDigits = 20;
/// A journal has this many segments: the first, and the newest.
inline constexpr std::int64_t kSegments = 16;

/// The exit record: text of this length, so that a disk that is full by then has the room for it already.
inline constexpr std::size_t kExitBytes = 512;

/// Descriptors of a start by their position.
inline constexpr int kDirectory = 0;  ///< to work in
inline constexpr int kStore = 1;      ///< the directory of the jobs' directories
inline constexpr int kJob = 2;        ///< this job's directory
inline constexpr int kStdin = 3;      ///< only when `stdin_given`
inline constexpr int kMinDescriptors = 3;

/// The payload is as in `wire::RunRequest`; a long one is the content of the last descriptor.
struct JobStart {
  wire::RunRequest run;
  std::uint32_t stdin_given = 0;
  std::uint32_t terminal = 0;
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  wire::Scope timeout_scope = wire::Scope::tree;
  std::int64_t timeout_ns = 0;  ///< 0: none
  std::int64_t journal_bytes = 0;
  char unborn_name[80] = {};  ///< of the job's directory until the job may start
  char name[80] = {};         ///< of the job's directory from then on
};

/// What became of a start.
struct JobStarted {
  enum class What : std::uint32_t {
    started,
    exists,        ///< a job of this name is there already
    no_record,     ///< nothing was started: the record could not be made
    no_process,    ///< nothing was started
    no_directory,  ///< nothing was started: the working directory cannot be entered
    no_terminal    ///< nothing was started
  };

  What what = What::no_process;
  std::int32_t error = 0;  ///< errno value
};

struct JobRequest {
  enum class Kind : std::uint32_t {
    status = 1,   ///< answer at once
    wait_output,  ///< answer when `stream` has more than `number` bytes, or the job has ended
    wait_end,     ///< answer when the job has ended
    wait_empty,   ///< answer when it has ended and none of its processes is left
    signal,       ///< send signal `number` to the process group
    stop,         ///< end the tree: TERM, `number` nanoseconds, KILL
    input,        ///< answer with a descriptor to write to
    close_input,
    resize  ///< to `number` rows and `columns`
  };

  std::uint32_t version = kVersion;
  Kind kind = Kind::status;
  std::uint32_t stream = 0;
  std::uint32_t columns = 0;
  std::int64_t number = 0;
};

struct JobStatus {
  std::uint32_t version = kVersion;
  std::uint32_t done = 0;  ///< of `signal`, `input`, `resize`: it was
  std::uint32_t ended = 0;
  std::uint32_t left_processes = 0;
  std::uint32_t stdin_open = 0;
  std::int64_t process = 0;
  std::int64_t duration_ns = 0;
  std::int64_t total_bytes[2] = {0, 0};
  std::int64_t dropped_bytes[2] = {0, 0};
};

static_assert(std::is_trivially_copyable_v<JobStart> && std::is_trivially_copyable_v<JobStatus>);

}  // namespace berth::job_wire
