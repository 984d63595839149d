#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/limits.h"
#include "path/path.h"

namespace berth {

/// What becomes of a command's output (C-RUN-3).
struct OutputPolicy {
  enum class Kind : std::uint8_t {
    stop_at,  ///< more than `limit` bytes over both streams ends the command; the first `kept` of each are returned
    keep      ///< drain for ever, return the first `head` and the last `tail` bytes of each stream
  };

  Kind kind = Kind::stop_at;
  std::int64_t limit = limits::kOutputLimit;
  std::int64_t kept = limits::kPartialOutput;
  std::int64_t head = limits::kPartialOutput;
  std::int64_t tail = limits::kPartialOutput;

  bool operator==(const OutputPolicy&) const = default;
};

/// How much of a command is ended when it must end.
enum class EndScope : std::uint8_t {
  tree,  ///< everything it started, whatever session or parent it has now
  group  ///< only its process group, for those who start daemons on purpose
};

/// A command to run (C-RUN-1).
struct CommandSpec {
  std::vector<Bytes> argv;                           ///< literal words; exactly one of argv and script is given
  Bytes script;                                      ///< for `/bin/sh -c`
  std::vector<std::pair<std::string, Bytes>> env;    ///< set in this order over the workspace's environment
  std::vector<std::string> env_remove;               ///< taken away before `env` is set
  Path cwd;                                          ///< a workspace directory
  std::optional<Bytes> stdin_bytes;                  ///< absent: standard input is at its end
  std::optional<std::chrono::milliseconds> timeout;  ///< must be > 0
  OutputPolicy output;
  EndScope end_scope = EndScope::tree;
  std::string run_id;  ///< not empty: a repeated request returns the first outcome

  bool operator==(const CommandSpec&) const = default;
};

/// What was kept of one output stream.
struct StreamOutput {
  Bytes head;                    ///< everything, when nothing was dropped
  Bytes tail;                    ///< after the gap; empty when nothing was dropped
  std::int64_t total_bytes = 0;  ///< what the command wrote, as far as it was read

  /// Bytes between head and tail that were not kept.
  std::int64_t dropped_bytes() const noexcept {
    return total_bytes - static_cast<std::int64_t>(head.size() + tail.size());
  }

  bool operator==(const StreamOutput&) const = default;
};

/// How a command ended: exactly one of the kinds, never invented (C-RUN-2).
struct CommandOutcome {
  enum class Kind : std::uint8_t { exited, signaled, timed_out, output_limited, cancelled, lost };

  Kind kind = Kind::lost;
  int exit_code = 0;   ///< for exited; 127 not found, 126 not executable
  int signal = 0;      ///< for signaled
  std::string reason;  ///< for lost: why there is no exit record
  StreamOutput out;
  StreamOutput err;
  std::chrono::nanoseconds duration{};  ///< from the start of the command to its end
  std::int64_t survivors = 0;           ///< processes of an ended tree that could not be ended; 0 is the promise

  /// The number a shell would show: the exit code, 128 + signal, 124 when timed out; nothing when there is none.
  std::optional<int> shell_status() const noexcept {
    switch (kind) {
      case Kind::exited: return exit_code;
      case Kind::signaled: return 128 + signal;
      case Kind::timed_out: return 124;
      default: return std::nullopt;
    }
  }

  bool operator==(const CommandOutcome&) const = default;
};

}  // namespace berth
