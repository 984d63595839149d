#pragma once

#include <cstdint>
#include <type_traits>

/// What the engine and its supervisor program say to each other. Both are built from one tree and never meet another
/// version, so the messages are plain structs. Every socket is a SOCK_SEQPACKET pair: one send is one message.
///
/// Engine to supervisor: a `SupervisorRequest` with one descriptor.
/// Engine to keeper: a `RunRequest` with its descriptors, then at most one `EndRequest`, and a
/// `ReleaseRequest` with read ends to drain when the report said that children remain.
/// Keeper to engine: one `Report` a command.
namespace berth::wire {

enum class Kind : std::uint32_t {
  new_keeper = 1,  ///< the descriptor is the keeper's end of its channel
  settle,          ///< wait for a dying keeper, end what it left behind, then close the descriptor
  kill_keeper,     ///< kill a keeper that does not answer, then as `settle`
  run,
  end,
  release,
  report
};

struct SupervisorRequest {
  Kind kind = Kind::new_keeper;
  std::uint64_t keeper = 0;  ///< a number the engine gives each keeper
};

/// The descriptors of a run by their position; the payload only when the request says so.
inline constexpr int kStdin = 0;
inline constexpr int kStdout = 1;
inline constexpr int kStderr = 2;
inline constexpr int kDirectory = 3;
inline constexpr int kPayload = 4;
inline constexpr int kRunDescriptors = 5;

/// The payload is `words` argument strings and then `variables` environment strings, each ended by NUL. It follows the
/// struct, or, when it is longer than `kInlinePayload`, is the content of the descriptor `kPayload`.
struct RunRequest {
  Kind kind = Kind::run;
  std::uint32_t words = 0;
  std::uint32_t variables = 0;
  std::uint32_t in_file = 0;
  std::uint64_t payload_bytes = 0;
};

inline constexpr std::uint64_t kInlinePayload = 32 * 1024;

enum class Scope : std::uint32_t { tree, group };

/// TERM now, KILL after the grace. Ignored when the command has ended already.
struct EndRequest {
  Kind kind = Kind::end;
  Scope scope = Scope::tree;
  std::uint64_t grace_ns = 0;
};

struct ReleaseRequest {
  Kind kind = Kind::release;
};

/// What became of a run request.
struct Report {
  enum class What : std::uint32_t {
    ended_itself,  ///< `wait_status` is what waitpid gave
    was_ended,     ///< by an `EndRequest`
    no_process,    ///< nothing was started: no process could be made; `error` is the errno value
    no_directory   ///< nothing was started: the working directory cannot be entered
  };

  Kind kind = Kind::report;
  What what = What::ended_itself;
  std::int32_t wait_status = 0;
  std::int32_t error = 0;
  std::uint32_t children_remain = 0;  ///< the keeper stays with them and takes no more commands
  std::uint32_t survivors = 0;        ///< of a tree that was ended
  std::int64_t duration_ns = 0;
};

static_assert(std::is_trivially_copyable_v<RunRequest> && std::is_trivially_copyable_v<Report>);

/// How long after its KILL a keeper waits for a tree of which nothing ends any more before it reports survivors, and
/// how long for one of which something does: on a busy machine killed processes take their time to go.
inline constexpr std::int64_t kKillPatienceNs = 5'000'000'000;
inline constexpr std::int64_t kKillLimitNs = 20'000'000'000;

}  // namespace berth::wire
