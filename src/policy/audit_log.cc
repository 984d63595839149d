#include "policy/audit_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace berth {

Result<std::unique_ptr<FileAuditLog>> FileAuditLog::open(const os::HostPath& path) {
  // Non-blocking only for the open: a FIFO must not hold it.
  int fd = -1;
  do {
    fd = ::open(path.text.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) return errno_error(errno, "open the audit log");
  os::Fd file(fd);
  struct stat facts {};
  if (fstat(fd, &facts) != 0) return errno_error(errno, "look at the audit log");
  if (!S_ISREG(facts.st_mode)) return make_error(ErrorCode::not_regular, "the audit log is not a regular file");
  return std::unique_ptr<FileAuditLog>(new FileAuditLog(std::move(file)));
}

Result<void> FileAuditLog::record(const AuditEvent& event) {
  std::string line = to_json_line(event) + "\n";
  const std::lock_guard held(writing_);
  if (torn_) line.insert(line.begin(), '\n');
  ssize_t written = -1;
  do {
    written = ::write(file_.get(), line.data(), line.size());
  } while (written < 0 && errno == EINTR);
  if (written < 0) return errno_error(errno, "write the audit log");
  torn_ = static_cast<std::size_t>(written) != line.size();
  if (torn_) return make_error(ErrorCode::no_space, "the audit log takes no whole line");
  return {};
}

Result<void> MemoryAuditLog::record(const AuditEvent& event) {
  const std::lock_guard held(mutex_);
  events_.push_back(event);
  return {};
}

std::vector<AuditEvent> MemoryAuditLog::events() const {
  const std::lock_guard held(mutex_);
  return events_;
}

}  // namespace berth
