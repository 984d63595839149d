#include "engine/jobs/keeper/exit_record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine/jobs/job_wire.h"

namespace berth::supervisor {
namespace {

using job_wire::kExitBytes;

std::int64_t wall_ms() {
  timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1000 + time.tv_nsec / 1'000'000;
}

bool write_block(int file, const char (&block)[kExitBytes]) {
  std::size_t done = 0;
  while (done < kExitBytes) {
    const ssize_t written = pwrite(file, block + done, kExitBytes - done, static_cast<off_t>(done));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    done += static_cast<std::size_t>(written);
  }
  return true;
}

const char* name_of(ExitRecord::Kind kind) {
  switch (kind) {
    case ExitRecord::Kind::exited: return "exited";
    case ExitRecord::Kind::signaled: return "signaled";
    case ExitRecord::Kind::lost: break;
  }
  return "lost";
}

}  // namespace

bool reserve_exit_record(int directory) {
  const int file = openat(directory, job_wire::kExitTempName, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return false;
  char block[kExitBytes];
  memset(block, '\n', sizeof block);
  const bool written = write_block(file, block);
  const int error = errno;
  close(file);
  errno = error;
  return written;
}

void write_exit_record(int directory, const ExitRecord& record) {
  // It may have been linked by a keeper that was killed before it took the other name away.
  if (faccessat(directory, job_wire::kExitName, F_OK, 0) == 0) return;
  const int file = openat(directory, job_wire::kExitTempName, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return;
  char block[kExitBytes];
  memset(block, '\n', sizeof block);
  const int length =
      snprintf(block, sizeof block,
               "version=1\nstate=%s\nnumber=%d\nended_by=%s\nreason=%s\nsurvivors=%u\nprocess=%lld\nended_at_ms=%lld\n"
               "duration_ms=%lld\nout_bytes=%lld\nout_dropped=%lld\nerr_bytes=%lld\nerr_dropped=%lld\n",
               name_of(record.kind), record.number, record.ended_by, record.reason, record.survivors,
               static_cast<long long>(record.process), static_cast<long long>(wall_ms()),
               static_cast<long long>(record.duration_ns / 1'000'000), static_cast<long long>(record.total_bytes[0]),
               static_cast<long long>(record.dropped_bytes[0]), static_cast<long long>(record.total_bytes[1]),
               static_cast<long long>(record.dropped_bytes[1]));
  if (length > 0 && length < static_cast<int>(sizeof block)) block[length] = '\n';
  if (write_block(file, block)) {
    // A link, unlike a rename, never replaces a record.
    linkat(directory, job_wire::kExitTempName, directory, job_wire::kExitName, 0);
    unlinkat(directory, job_wire::kExitTempName, 0);
  }
  close(file);
}

}  // namespace berth::supervisor
