#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "contract/transactions.h"
#include "engine/files/host_files.h"
#include "os/root.h"

namespace berth::engine {

/// Asked before every step that changes the file system, by the step's name; an error makes the step fail. For tests.
using TransactionProbe = std::function<Result<void>(std::string_view step)>;

/// What was found of transactions whose process died.
struct TransactionRecovery {
  std::int64_t finished = 0;     ///< had been applied; what was left of them is removed
  std::int64_t rolled_back = 0;  ///< were undone
  std::vector<Path> unresolved;  ///< changed by somebody else meanwhile, so they stay as they are

  bool operator==(const TransactionRecovery&) const = default;
};

/// Transactions on the files of one host directory (C-WRITE-11).
///
/// A journal in the root says what is going on; its flock says that its process lives. New contents are written beside
/// their targets, old ones are kept under hidden names until the end. Design and order of the steps:
/// docs/decisions/0010-transactions.md. Needs a file system with hard links to replace files.
class HostTransactions : public FileTransactions {
 public:
  static std::unique_ptr<HostTransactions> make(std::shared_ptr<const os::Root> root, FileOptions options,
                                                TransactionProbe probe = {});

  /// Repair what transactions of dead processes left behind. Those of living ones are left alone.
  virtual Result<TransactionRecovery> recover(const Call& call) = 0;
};

}  // namespace berth::engine
