#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

#include "contract/files.h"
#include "path/path.h"

namespace berth::tools {

/// What a conversation saw of a file: its revision, or its change token when only a part of it was read. A token is the
/// stricter one: it changes when the file is touched, too.
using Seen = std::variant<Revision, ChangeToken>;

/// Remembers what a conversation saw last of each file, keyed by the file's real path and not by how it was spelled:
/// `a`, `./a` and a link to it are one file. Bounded (`limits::kLedgerFiles`); what was not seen for longest is
/// forgotten first, and a forgotten file is one that was never read. Safe from many threads at once.
class ReadLedger {
 public:
  /// The conversation has now seen (or written) this state of the file.
  void saw(const Path& real_path, Seen what);
  /// What was seen last; nothing when the conversation never saw the file.
  std::optional<Seen> seen(const Path& real_path) const;
  void forget(const Path& real_path);

 private:
  struct Entry {
    Seen what;
    std::uint64_t turn = 0;  ///< when it was seen
  };

  mutable std::mutex mutex_;
  std::map<Path, Entry> seen_;
  std::map<std::uint64_t, Path> by_turn_;  ///< oldest first
  std::uint64_t turn_ = 0;
};

}  // namespace berth::tools
