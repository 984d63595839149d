#pragma once

#include <memory>

#include "contract/capabilities.h"
#include "os/root.h"

namespace berth::engine {

/// When a change is on the medium (C-WRITE-3).
enum class Durability {
  visible,  ///< other processes see it when the call returns
  durable   ///< data and directory entries were synced before the call returned
};

struct FileOptions {
  Durability durability = Durability::visible;
};

/// The files of one host directory, reached through descriptors only (C-READ, C-WRITE 1–10 and 12). Both faces are one
/// object. The same code serves a host directory in-process and, inside the guest, any other environment.
class HostFiles : public FileReads, public FileWrites {
 public:
  /// Temporary files that crashed processes left are removed: a directory is swept before it is first written to.
  static std::unique_ptr<HostFiles> make(std::shared_ptr<const os::Root> root, FileOptions options);
};

}  // namespace berth::engine
