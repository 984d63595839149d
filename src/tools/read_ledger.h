#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "contract/files.h"
#include "path/path.h"

namespace berth::tools {

/// Remembers which revision of a file a conversation saw last, keyed by the file's real path and not by how it was
/// spelled: `a`, `./a` and a link to it are one file. Bounded; what was not seen for longest is forgotten first, and a
/// forgotten file is one that was never read. Safe from many threads at once.
class ReadLedger {
 public:
  /// The conversation has now seen (or written) this revision of the file.
  void saw(const Path& real_path, const Revision& revision);
  /// The revision seen last; nothing when the conversation never saw the file.
  std::optional<Revision> seen(const Path& real_path) const;
  void forget(const Path& real_path);
  /// The file has another name now.
  void moved(const Path& from, const Path& to);

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Revision> seen_;  // see read_ledger.cc for the bound
};

}  // namespace berth::tools
