#include "policy/sensitive.h"

#include "policy/policy_faces.h"
#include "policy/sensitive_files.h"

namespace berth {
namespace {

constexpr FaceMakers<const PathVerdicts> kFaces{
    .reads = make_sensitive_reads,
    .writes = make_sensitive_writes,
    .search = make_sensitive_search,
    .transactions = make_sensitive_transactions,
    .keeps_back = [](const PathVerdicts& verdicts, const Path& place) { return verdicts.is_kept_back(place.text()); }};

class SensitiveBackend final : public RealNamePolicy {
 public:
  SensitiveBackend(std::unique_ptr<Backend> wrapped, PathVerdicts verdicts)
      : RealNamePolicy(std::move(wrapped)), verdicts_(std::move(verdicts)) {
    make_faces(kFaces, verdicts_);
  }

  CommandRunner* commands() noexcept override { return inner().commands(); }
  JobControl* jobs() noexcept override { return inner().jobs(); }

 private:
  const PathVerdicts verdicts_;
};

}  // namespace

Result<std::unique_ptr<Backend>> make_sensitive(std::unique_ptr<Backend> inner, const SensitivePolicy& policy) {
  BERTH_TRY(auto verdicts, PathVerdicts::compile(policy));
  return std::unique_ptr<Backend>(std::make_unique<SensitiveBackend>(std::move(inner), std::move(verdicts)));
}

}  // namespace berth
