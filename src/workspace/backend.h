#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/call.h"
#include "base/result.h"
#include "contract/capabilities.h"
#include "contract/jobs.h"
#include "contract/survey.h"
#include "contract/transactions.h"

namespace berth {

/// The durable name of an environment. Travels as `provider:id`.
struct WorkspaceRef {
  std::string provider;
  std::string id;

  std::string to_string() const { return provider + ":" + id; }
  bool operator==(const WorkspaceRef&) const = default;
};

/// What file paths are confined to (C-PATH-3).
enum class Confinement { root, environment };

/// Whether a workspace may change anything.
enum class Access { read_write, read_only };

/// What is known of a backend before any I/O, and never changes.
struct BackendInfo {
  std::string provider;                 ///< "local", "state", …
  std::string resource_key;             ///< equal keys mean the same files, whatever the spelling
  std::vector<std::string> root_names;  ///< absolute names of the root that callers may use, see `parse_path`
  Confinement confinement = Confinement::root;
  Access access = Access::read_write;
  std::string isolation;  ///< what stands between commands and the host: "none", "document", …
};

/// The files of an environment, for paths that were resolved already: a link anywhere in a path, a link leaf that
/// would be followed included, is `path_escape`. So what a policy checked by name is what is opened, whatever another
/// process does in between. Describing or removing a link leaf itself works as ever.
struct LinkFreeFaces {
  FileReads* reads = nullptr;
  FileWrites* writes = nullptr;
  TreeSearch* search = nullptr;              ///< refuses links in the base
  FileTransactions* transactions = nullptr;  ///< a link is the outcome `precondition_failed` with `path_escape`

  bool operator==(const LinkFreeFaces&) const = default;
};

/// One environment of one kind: what a provider writes.
///
/// Accessors return null where the environment cannot do something, and the same pointer for the backend's whole life.
/// The pointers are owned by the backend. Safe to call from many threads at once.
class Backend {
 public:
  Backend() = default;
  virtual ~Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  virtual const BackendInfo& info() const noexcept = 0;

  /// The environment's name; nothing until it exists.
  virtual std::optional<WorkspaceRef> ref() const = 0;

  /// Create or attach, once, however many threads ask first; cheap afterwards. `environment_gone` when what a ref
  /// names no longer exists: never a silent empty replacement.
  virtual Result<void> ensure(const Call& call) = 0;

  virtual FileReads* reads() noexcept { return nullptr; }
  virtual FileWrites* writes() noexcept { return nullptr; }
  virtual FileTransactions* transactions() noexcept { return nullptr; }
  virtual CommandRunner* commands() noexcept { return nullptr; }
  virtual JobControl* jobs() noexcept { return nullptr; }
  virtual TreeSearch* search() noexcept { return nullptr; }
  /// Offered only where nothing is kept back: a policy that leaves files out does not pass it on.
  virtual TreeSurvey* survey() noexcept { return nullptr; }

  /// For policies. Null where links cannot be refused; an environment that has no links gives its usual faces.
  virtual LinkFreeFaces link_free() noexcept { return {}; }
};

}  // namespace berth
