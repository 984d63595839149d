#include "policy/sensitive.h"

#include "policy/forwarding_backend.h"
#include "policy/sensitive_files.h"

namespace berth {
namespace {

struct Faces {
  Faces(const RealTargets& targets, const PathVerdicts& verdicts)
      : reads(targets.reads() == nullptr ? nullptr : make_sensitive_reads(targets, verdicts)),
        writes(targets.writes() == nullptr ? nullptr : make_sensitive_writes(targets, verdicts)),
        search(targets.search() == nullptr ? nullptr : make_sensitive_search(targets, verdicts)),
        transactions(targets.transactions() == nullptr ? nullptr : make_sensitive_transactions(targets, verdicts)) {}

  std::unique_ptr<FileReads> reads;
  std::unique_ptr<FileWrites> writes;
  std::unique_ptr<TreeSearch> search;
  std::unique_ptr<FileTransactions> transactions;
};

class SensitiveBackend final : public ForwardingBackend {
 public:
  SensitiveBackend(std::unique_ptr<Backend> wrapped, PathVerdicts verdicts)
      : ForwardingBackend(std::move(wrapped)),
        verdicts_(std::move(verdicts)),
        faces_(RealTargets::resolving(inner()), verdicts_),
        link_free_(RealTargets::resolved(inner()), verdicts_) {}

  FileReads* reads() noexcept override { return faces_.reads.get(); }
  FileWrites* writes() noexcept override { return faces_.writes.get(); }
  TreeSearch* search() noexcept override { return faces_.search.get(); }
  FileTransactions* transactions() noexcept override { return faces_.transactions.get(); }
  CommandRunner* commands() noexcept override { return inner().commands(); }
  LinkFreeFaces link_free() noexcept override {
    return {.reads = link_free_.reads.get(),
            .writes = link_free_.writes.get(),
            .search = link_free_.search.get(),
            .transactions = link_free_.transactions.get()};
  }

 private:
  PathVerdicts verdicts_;
  Faces faces_;
  Faces link_free_;
};

}  // namespace

Result<std::unique_ptr<Backend>> make_sensitive(std::unique_ptr<Backend> inner, const SensitivePolicy& policy) {
  BERTH_TRY(auto verdicts, PathVerdicts::compile(policy));
  return std::unique_ptr<Backend>(std::make_unique<SensitiveBackend>(std::move(inner), std::move(verdicts)));
}

}  // namespace berth
