#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/call.h"
#include "contract/files.h"
#include "engine/files/host_files.h"
#include "os/fd.h"
#include "os/features.h"

namespace berth::engine {

/// New content on its way to a name: a temporary file beside its target (C-WRITE-1, -4). Removed on destruction unless
/// it was published.
///
/// It has a name from the start, on purpose: measured on ext4 and tmpfs, O_TMPFILE with linkat is no faster than a
/// named file with one rename, and overwriting needs a named one anyway. While the writer lives it holds the file's
/// flock; a temporary file that can be locked was left by a process that died (see temp_sweep.h).
///
/// `directory` is borrowed and must outlive the object. One thread at a time.
class TempFile {
 public:
  /// Make an empty one. `mode` is subject to the umask.
  static Result<TempFile> make(int directory, mode_t mode);

  TempFile(TempFile&& other) noexcept;
  TempFile& operator=(TempFile&&) = delete;
  ~TempFile();

  /// Append content. The call is honoured between pieces. `no_space` when there is none, `too_large` at a limit.
  Result<void> write(const Call& call, BytesView content);

  /// Take over owner and permission bits from the file that is to be replaced. Where the owner cannot be kept, the
  /// set-user-ID or set-group-ID bit that would then speak for someone else is dropped. ACLs and extended attributes
  /// are not taken over.
  Result<void> take_attributes(const struct stat& replaced);
  Result<void> set_mode(mode_t mode);

  /// Learn of errors that were put off until now: fsync when `durable`, else what close(2) reports (NFS, quotas).
  Result<void> flush(Durability durability);

  /// Take the place of whatever file stands at `name`, atomically.
  Result<void> publish_over(const std::string& name);
  /// Take a free name, atomically; `already_exists` when something stands there.
  Result<void> publish_new(const std::string& name, const os::Features& features);

  /// What the file is now.
  Result<struct stat> look() const;

 private:
  TempFile(int directory, std::string name, os::Fd fd) noexcept
      : directory_(directory), name_(std::move(name)), fd_(std::move(fd)) {}

  int directory_;
  std::string name_;  ///< empty when the file no longer has a temporary name
  os::Fd fd_;
};

}  // namespace berth::engine
