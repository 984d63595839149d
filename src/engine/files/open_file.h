#pragma once

#include <sys/stat.h>

#include <string>

#include "base/call.h"
#include "os/fd.h"
#include "os/root.h"

namespace berth::engine {

/// A regular file, open for reading, and what it was when it was opened.
struct OpenFile {
  os::Fd fd;
  struct stat stat;
};

/// Refuse what is not a regular file: `is_a_directory` or `not_regular` (C-READ-4, C-PATH-8).
Result<void> require_regular(const struct stat& st);

/// Open what a path leads to for reading, whatever it is. Never blocks on a FIFO or device.
/// Errors: as `Root::open_path`.
Result<os::Fd> open_to_read(const Call& call, const os::Root& root, const Path& path);

/// Look at what was opened. Errors: as `require_regular`.
Result<OpenFile> as_regular(os::Fd fd);

/// Both in one. Errors: as both.
Result<OpenFile> open_regular(const Call& call, const os::Root& root, const Path& path);

/// Open one name in a directory. A link is not followed: `not_regular`. Missing: `not_found`.
Result<OpenFile> open_regular_at(int directory, const std::string& name);

/// Whether a file of size 0 has bytes all the same, as those of procfs do. Brings `file.stat` up to date; false when
/// the file grew meanwhile.
Result<bool> is_unsized(OpenFile& file);

}  // namespace berth::engine
