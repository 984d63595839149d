#pragma once

#include <sys/stat.h>

#include <memory>
#include <string>
#include <vector>

#include "base/call.h"
#include "os/directory.h"
#include "os/fd.h"

namespace berth::engine {

/// A way down a directory tree by descriptors, links never followed. Depth is bounded by memory only: at most
/// `kOpenDirectories` are open at once; the ones above are found again through `..` and must be the same directories,
/// else `conflict`. One thread.
class DirectoryStack {
 public:
  static constexpr std::size_t kOpenDirectories = 32;

  /// Begin in a directory that is open for reading.
  static Result<DirectoryStack> begin(os::Fd directory);

  /// Go into a child. `not_a_directory` when it is something else, a link too.
  Result<void> enter(const std::string& name);
  /// Go back up. Not from the top.
  Result<void> leave();

  /// Fail with `conflict` when a file system is mounted on the current directory.
  Result<void> refuse_mount_point() const;

  bool at_top() const noexcept { return frames_.size() == 1; }
  int directory() const noexcept { return frames_.back().directory.get(); }
  const struct stat& stat() const noexcept { return frames_.back().stat; }
  /// The name by which the current directory was entered; empty at the top.
  const std::string& name() const noexcept { return frames_.back().name; }

  /// The next entry of the current directory; null at the end. Entries may come again after a return from a child.
  Result<const os::DirectoryReader::Entry*> next();
  /// Read the current directory from its start.
  Result<void> rewind();

 private:
  struct Frame {
    os::Fd directory;  ///< empty while it is too far up to be kept open
    struct stat stat;
    std::string name;
    std::unique_ptr<os::DirectoryReader> reader;
  };

  Result<void> push(os::Fd directory, std::string name);

  std::vector<Frame> frames_;
};

}  // namespace berth::engine
