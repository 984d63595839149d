#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "contract/files.h"
#include "os/fd.h"
#include "os/root.h"

namespace berth {

/// One change or command, for those who answer for it later. Never holds content, environment or standard input.
struct AuditEvent {
  std::chrono::sys_time<std::chrono::nanoseconds> time{};  ///< when the call began
  std::string actor;                                       ///< who the workspace was opened for
  std::string trace_id;                                    ///< of the call
  std::string
      operation;  ///< "write", "create", "replace", "delete", "delete_if", "remove", "move", …, "run", "start_job", …
  Path path;      ///< of a command: its directory
  std::optional<Path> to;          ///< of a move
  std::optional<Revision> before;  ///< where the call knows it: compared or moved
  std::optional<Revision> after;
  std::string outcome;  ///< "ok", an error's code, or how a command ended ("exited", "timed_out", …)
  std::chrono::nanoseconds duration{};

  std::string job;  ///< the id, of what is done to jobs: "start_job", "write_job_stdin", "signal_job", …

  // Of commands and starts of jobs only.
  std::string program;         ///< argv[0], or "/bin/sh" for a script
  std::string command_sha256;  ///< of the words, each ended by a NUL byte; a script is three of them
  std::vector<Bytes> words;    ///< when asked for: they may hold secrets
  std::optional<int> status;   ///< exit code, or 128 + signal

  bool operator==(const AuditEvent&) const = default;
};

/// Render an event as one line of JSON without the line end. A path that is not UTF-8 also comes as `path_b64`.
std::string to_json_line(const AuditEvent& event);

/// Where events go. Safe from many threads at once.
class AuditLog {
 public:
  virtual ~AuditLog() = default;

  /// Keep an event, after every one kept before. An error means that it was not kept.
  virtual Result<void> record(const AuditEvent& event) = 0;
};

/// Appends JSON lines to a file, each by one write(2) with O_APPEND, so that several processes may share it; a line
/// torn by a full disk is ended before the next. The file is made readable to its owner only. Not synced: the kernel
/// has the line when `record` returns.
class FileAuditLog final : public AuditLog {
 public:
  /// Errors: `not_regular` when something else than a file stands there, or what the system says.
  static Result<std::unique_ptr<FileAuditLog>> open(const os::HostPath& path);

  Result<void> record(const AuditEvent& event) override;

 private:
  explicit FileAuditLog(os::Fd file) : file_(std::move(file)) {}

  os::Fd file_;
  std::mutex writing_;
  bool torn_ = false;
};

/// Keeps events in memory, for tests and consoles.
class MemoryAuditLog final : public AuditLog {
 public:
  Result<void> record(const AuditEvent& event) override;
  std::vector<AuditEvent> events() const;

 private:
  mutable std::mutex mutex_;
  std::vector<AuditEvent> events_;
};

}  // namespace berth
