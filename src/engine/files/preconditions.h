#pragma once

#include <optional>
#include <string>

#include "base/call.h"
#include "engine/files/open_file.h"
#include "engine/files/revision_cache.h"

namespace berth::engine {

/// What a conditional change demands of the file it changes (C-WRITE-6). An absent demand always holds.
struct Preconditions {
  std::optional<Revision> revision;
  std::optional<GitMode> git_mode;
  std::optional<ChangeToken> token;

  bool any() const noexcept { return revision || git_mode || token; }
};

/// The file that a change was compared against, held open: while it is, its inode cannot be given to another file, so
/// an equal stat later proves that the comparison still holds.
class ComparedFile {
 public:
  /// Open one name in a directory and compare. Errors: `not_found`, `is_a_directory`, `not_regular`; then in this order
  /// `revision_mismatch` (fields `expected_revision`, `actual_revision`), `mode_mismatch` (`expected_git_mode`,
  /// `actual_git_mode`), `revision_mismatch` for the token (`expected_token`, `actual_token`).
  static Result<ComparedFile> compare(const Call& call, RevisionCache& cache, int directory, const std::string& name,
                                      const Preconditions& wanted);

  /// Compare again what stands there now; cheap when it is the same file, untouched. To be called under the lock.
  Result<void> confirm(const Call& call, RevisionCache& cache, int directory, const std::string& name,
                       const Preconditions& wanted);

  const struct stat& stat() const noexcept { return file_.stat; }
  /// Known when a revision was demanded.
  const std::optional<Revision>& revision() const noexcept { return revision_; }

 private:
  explicit ComparedFile(OpenFile file) : file_(std::move(file)) {}

  OpenFile file_;
  std::optional<Revision> revision_;
};

}  // namespace berth::engine
