#pragma once

#include <memory>

#include "engine/files/host_files.h"
#include "engine/files/line_index.h"
#include "engine/files/revision_cache.h"
#include "engine/files/temp_sweep.h"
#include "os/root.h"

namespace berth::engine {

/// What the operations of one HostFiles share. Every member may be used from many threads.
struct FileEngine {
  std::shared_ptr<const os::Root> root;
  FileOptions options;
  RevisionCache revisions;
  LineIndexCache line_indexes;
  TempSweep sweep;
};

}  // namespace berth::engine
