#pragma once

#include <memory>
#include <utility>

#include "policy/forwarding_backend.h"
#include "policy/real_targets.h"

namespace berth {

/// The faces of one policy over one way to take paths. Null where the backend below has none.
struct PolicyFaces {
  std::unique_ptr<FileReads> reads;
  std::unique_ptr<FileWrites> writes;
  std::unique_ptr<TreeSearch> search;
  std::unique_ptr<FileTransactions> transactions;
};

/// How a policy makes its faces. `Rules` is what they decide by; it outlives them.
template <typename Rules>
struct FaceMakers {
  std::unique_ptr<FileReads> (*reads)(RealTargets targets, Rules& rules);
  std::unique_ptr<FileWrites> (*writes)(RealTargets targets, Rules& rules);
  std::unique_ptr<TreeSearch> (*search)(RealTargets targets, Rules& rules);
  std::unique_ptr<FileTransactions> (*transactions)(RealTargets targets, Rules& rules);
  /// Null, or whether no link may lead through a place.
  bool (*keeps_back)(Rules& rules, const Path& place) = nullptr;

  PolicyFaces over(const RealTargets& targets, Rules& rules) const {
    return {.reads = targets.reads() == nullptr ? nullptr : reads(targets, rules),
            .writes = targets.writes() == nullptr ? nullptr : writes(targets, rules),
            .search = targets.search() == nullptr ? nullptr : search(targets, rules),
            .transactions = targets.transactions() == nullptr ? nullptr : transactions(targets, rules)};
  }
};

/// A policy that decides by the real names of paths: it has its faces twice, for paths as callers give them and for
/// those that were resolved already.
class RealNamePolicy : public ForwardingBackend {
 public:
  FileReads* reads() noexcept final { return given_.reads.get(); }
  FileWrites* writes() noexcept final { return given_.writes.get(); }
  TreeSearch* search() noexcept final { return given_.search.get(); }
  FileTransactions* transactions() noexcept final { return given_.transactions.get(); }
  LinkFreeFaces link_free() noexcept final {
    return {.reads = resolved_.reads.get(),
            .writes = resolved_.writes.get(),
            .search = resolved_.search.get(),
            .transactions = resolved_.transactions.get()};
  }

 protected:
  using ForwardingBackend::ForwardingBackend;

  /// To be called once, by the constructor of the policy.
  template <typename Rules>
  void make_faces(const FaceMakers<Rules>& makers, Rules& rules) {
    auto resolving = RealTargets::resolving(inner());
    if (makers.keeps_back != nullptr) {
      resolving.keep_back(
          [&rules, keeps_back = makers.keeps_back](const Path& place) { return keeps_back(rules, place); });
    }
    given_ = makers.over(resolving, rules);
    resolved_ = makers.over(RealTargets::resolved(inner()), rules);
  }

 private:
  PolicyFaces given_;
  PolicyFaces resolved_;
};

}  // namespace berth
