#pragma once

#include <functional>
#include <memory>
#include <span>

#include "policy/real_targets.h"

namespace berth {

/// What a transaction's operation does at a path.
enum class PathRole : std::uint8_t {
  written,   ///< made or replaced, through a link
  made,      ///< made, not through a link
  replaced,  ///< replaced, through a link; must exist
  taken,     ///< removed or moved away
  made_directory
};

/// What a policy says of the paths of a transaction.
struct TransactionRules {
  /// The inner path of one as given, or a refusal.
  std::function<Result<Path>(const Path& given, PathRole role)> enter;
  /// A refusal of the real inner path.
  std::function<Result<void>(const Path& real, PathRole role)> check;
};

/// Carry out a transaction on the very paths that were checked, as RealTargets does for single calls. A refusal is the
/// outcome `precondition_failed`; a removal that permits absence of a path that is `not_found` to the rules is done.
Result<TransactionOutcome> transact(const Call& call, const RealTargets& targets,
                                    std::span<const FileOperation> operations, const TransactionRules& rules);

/// Transactions of a policy that leaves paths as they are: `check` refuses a path as given and as it really is.
std::unique_ptr<FileTransactions> make_checked_transactions(
    RealTargets targets, std::function<Result<void>(const Path& path, PathRole role)> check);

}  // namespace berth
