#include "engine/files/rename.h"

#include <linux/fs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace berth::engine {

int rename_without_replacing(const os::Features& features, int from_directory, const std::string& from,
                             int to_directory, const std::string& to) noexcept {
  if (!features.renameat2) return kCannotRenameWithoutReplacing;
  // Called by number: the musl libc of the static guest has no wrapper.
  if (syscall(SYS_renameat2, from_directory, from.c_str(), to_directory, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  return errno == EINVAL || errno == ENOSYS ? kCannotRenameWithoutReplacing : errno;
}

}  // namespace berth::engine
