#include "engine/files/sync_directory.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace berth::engine {

Result<void> sync_directory(int directory) {
  const os::Fd readable(openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!readable || fsync(readable.get()) != 0) return errno_error(errno, "sync the directory");
  return {};
}

Result<void> sync_parents(const Call& call, const os::Root& root, const NewParents& parents) {
  BERTH_CHECK(sync_directory(parents.leaf().directory.get()));
  for (const Path& made : parents.made()) {
    BERTH_TRY(const os::Fd above, root.open_path(call, made.parent(), O_PATH | O_DIRECTORY));
    BERTH_CHECK(sync_directory(above.get()));
  }
  return {};
}

}  // namespace berth::engine
