#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/limits.h"
#include "contract/transactions.h"

/// The checks of a transaction's arguments that every implementation of FileTransactions makes.
namespace berth {

/// The number and the kinds of the operations.
inline Result<void> check_transaction(std::span<const FileOperation> operations) {
  if (operations.empty()) return make_error(ErrorCode::invalid_argument, "the transaction has no operation");
  if (operations.size() > static_cast<std::size_t>(limits::kPatchFiles)) {
    return make_error(ErrorCode::too_large, "the transaction has more operations than one may have")
        .with("limit", "patch_files")
        .with("max_files", limits::kPatchFiles);
  }
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const auto* removal = std::get_if<RemoveOperation>(&operations[i]);
    if (removal != nullptr && removal->spec.what == RemoveSpec::What::tree) {
      return make_error(ErrorCode::invalid_argument, "a transaction removes no trees")
          .with("operation", static_cast<std::int64_t>(i));
    }
    const auto names_root = [](const auto& operation) {
      if constexpr (requires { operation.from; })
        return operation.from.is_root() || operation.to.is_root();
      else
        return operation.path.is_root();
    };
    if (!std::holds_alternative<MakeDirectoryOperation>(operations[i]) && std::visit(names_root, operations[i])) {
      return make_error(ErrorCode::invalid_argument, "the root of the workspace is no file")
          .with("operation", static_cast<std::int64_t>(i));
    }
  }
  return {};
}

/// The paths of one operation, and whether files stand there before or afterwards.
struct OperationPaths {
  std::vector<Path> paths;
  bool of_files = true;
};

/// Every path once, and none below another one that is a file before or afterwards.
inline Result<void> check_disjoint(std::span<const OperationPaths> operations) {
  std::set<Path> all;
  std::set<Path> files;
  const auto clash = [](std::size_t index, std::string message) {
    return make_error(ErrorCode::invalid_argument, std::move(message))
        .with("operation", static_cast<std::int64_t>(index));
  };
  for (std::size_t i = 0; i < operations.size(); ++i) {
    for (const Path& path : operations[i].paths) {
      if (!all.insert(path).second) return clash(i, "two operations mean one path");
      if (operations[i].of_files) files.insert(path);
    }
  }
  for (std::size_t i = 0; i < operations.size(); ++i) {
    for (const Path& path : operations[i].paths) {
      for (Path above = path.parent(); !above.is_root(); above = above.parent()) {
        if (files.contains(above)) return clash(i, "an operation needs a directory where another one has a file");
      }
    }
  }
  return {};
}

/// As `check_disjoint`, where no links are and every path is its own real one.
inline Result<void> check_transaction_paths(std::span<const FileOperation> operations) {
  std::vector<OperationPaths> paths;
  for (const auto& operation : operations) {
    OperationPaths one;
    one.of_files = !std::holds_alternative<MakeDirectoryOperation>(operation);
    std::visit(
        [&one](const auto& given) {
          if constexpr (requires { given.from; })
            one.paths = {given.from, given.to};
          else
            one.paths = {given.path};
        },
        operation);
    paths.push_back(std::move(one));
  }
  return check_disjoint(paths);
}

}  // namespace berth
