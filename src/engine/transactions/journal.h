#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>
#include <vector>

#include "base/call.h"
#include "engine/files/host_files.h"
#include "os/fd.h"
#include "os/root.h"

namespace berth::engine {

/// One change as a journal describes it: enough to undo it whether or not it was done.
struct JournalStep {
  enum class Kind : char {
    replace = 'W',  ///< a file over another one, which is also linked at `kept`
    create = 'N',
    remove = 'R',  ///< a file that is renamed to `kept`
    move = 'M',
    directory = 'K'
  };

  Kind kind = Kind::create;
  Path path;         ///< real, root-relative
  Path to;           ///< move only
  std::string kept;  ///< a name in the parent of `path`
  dev_t device = 0;  ///< of the file that stands at `path` (at `to`) once the step is done; directory: not known
  ino_t inode = 0;

  bool operator==(const JournalStep&) const = default;
};

/// What a journal says.
struct JournalContent {
  std::vector<Path> made;          ///< directories, parents first
  std::vector<JournalStep> steps;  ///< none until everything is prepared
  bool prepared = false;
  bool committed = false;

  bool operator==(const JournalContent&) const = default;
};

/// Read a journal; what a crash cut off its end does not count. Nothing when it is none.
std::optional<JournalContent> try_parse_journal(BytesView text);

/// The journal of a transaction that goes on: a hidden file in the root, locked while its process lives. Removed on
/// destruction, unless it must stay for a later repair.
class Journal {
 public:
  static Result<Journal> begin(const Call& call, const os::Root& root, Durability durability,
                               const std::vector<Path>& made);

  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&&) = delete;
  ~Journal();

  Result<void> prepared(const Call& call, const std::vector<JournalStep>& steps);
  Result<void> committed(const Call& call);
  void leave() noexcept { name_.clear(); }

 private:
  Journal(const os::Root& root, Durability durability, std::string name, os::Fd fd)
      : root_(&root), durability_(durability), name_(std::move(name)), fd_(std::move(fd)) {}

  Result<void> append(const Call& call, const Bytes& text);

  const os::Root* root_;
  Durability durability_;
  std::string name_;
  os::Fd fd_;
};

}  // namespace berth::engine
