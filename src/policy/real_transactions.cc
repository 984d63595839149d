#include "policy/real_transactions.h"

#include <variant>

namespace berth {
namespace {

constexpr int kAttempts = 3;

using State = TransactionOutcome::State;

bool is_of_the_call(ErrorCode code) noexcept {
  return code == ErrorCode::timed_out || code == ErrorCode::cancelled || code == ErrorCode::environment_gone;
}

PathRole role_of(const WriteSpec& spec) noexcept {
  switch (spec.when) {
    case WriteSpec::When::always: return PathRole::written;
    case WriteSpec::When::absent: return PathRole::made;
    case WriteSpec::When::revision_matches: return PathRole::replaced;
  }
  return PathRole::written;
}

class Resolver {
 public:
  Resolver(const Call& call, const RealTargets& targets, const TransactionRules& rules)
      : call_(call), targets_(targets), rules_(rules) {}

  Result<FileOperation> operator()(const WriteOperation& operation) const {
    WriteOperation real = operation;
    BERTH_TRY(real.path, resolve(operation.path, role_of(operation.spec)));
    return FileOperation(std::move(real));
  }
  Result<FileOperation> operator()(const RemoveOperation& operation) const {
    RemoveOperation real = operation;
    BERTH_TRY(real.path, resolve(operation.path, PathRole::taken));
    return FileOperation(std::move(real));
  }
  Result<FileOperation> operator()(const MoveOperation& operation) const {
    MoveOperation real = operation;
    BERTH_TRY(real.from, resolve(operation.from, PathRole::taken));
    auto to = resolve(operation.to, PathRole::made);
    if (!to) return std::move(to).error().with("destination", "true");
    real.to = *std::move(to);
    return FileOperation(std::move(real));
  }
  Result<FileOperation> operator()(const MakeDirectoryOperation& operation) const {
    MakeDirectoryOperation real;
    BERTH_TRY(real.path, resolve(operation.path, PathRole::made_directory));
    return FileOperation(std::move(real));
  }

 private:
  Result<Path> resolve(const Path& given, PathRole role) const {
    BERTH_TRY(const Path inner, rules_.enter(given, role));
    const bool itself = role == PathRole::made || role == PathRole::taken;
    return targets_.checked_name(call_, inner, itself ? Leaf::itself : Leaf::followed,
                                 [&](const Path& real) { return rules_.check(real, role); });
  }

  const Call& call_;
  const RealTargets& targets_;
  const TransactionRules& rules_;
};

bool permits_absence(const FileOperation& operation) {
  const auto* removal = std::get_if<RemoveOperation>(&operation);
  return removal != nullptr && removal->spec.what == RemoveSpec::What::file_if_present;
}

bool refused_a_link(const TransactionOutcome& outcome) {
  if (outcome.state != State::precondition_failed) return false;
  for (const auto& operation : outcome.operations) {
    if (operation.error && operation.error->code == ErrorCode::path_escape) return true;
  }
  return false;
}

}  // namespace

Result<TransactionOutcome> transact(const Call& call, const RealTargets& targets,
                                    std::span<const FileOperation> operations, const TransactionRules& rules) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::vector<FileOperation> real;
    std::vector<std::size_t> places;  // of the real operations among those given
    for (std::size_t i = 0; i < operations.size(); ++i) {
      auto resolved = std::visit(Resolver(call, targets, rules), operations[i]);
      if (!resolved) {
        if (is_of_the_call(resolved.error().code)) return std::move(resolved).error();
        if (permits_absence(operations[i]) && resolved.error().code == ErrorCode::not_found) continue;
        return precondition_failed(operations.size(), i, std::move(resolved).error());
      }
      real.push_back(*std::move(resolved));
      places.push_back(i);
    }
    TransactionOutcome outcome{State::applied, {}};
    if (!real.empty() || operations.empty()) {
      BERTH_TRY(outcome, targets.transactions()->apply(call, real));
      if (targets.refuses_new_links() && refused_a_link(outcome)) continue;
    }
    TransactionOutcome given{outcome.state, {}};
    given.operations.resize(operations.size());
    for (auto& operation : given.operations) {
      if (outcome.state == State::applied) operation.state = OperationOutcome::State::applied;
    }
    for (std::size_t i = 0; i < places.size(); ++i) given.operations[places[i]] = std::move(outcome.operations[i]);
    return given;
  }
  return make_error(ErrorCode::conflict, "the links in the paths keep changing");
}

namespace {

class CheckedTransactions final : public FileTransactions {
 public:
  CheckedTransactions(RealTargets targets, std::function<Result<void>(const Path& path, PathRole role)> check)
      : targets_(targets),
        rules_{.enter = [check](const Path& given, PathRole role) -> Result<Path> {
                 BERTH_CHECK(check(given, role));
                 return given;
               },
               .check = check} {}

  Result<TransactionOutcome> apply(const Call& call, std::span<const FileOperation> operations) override {
    return transact(call, targets_, operations, rules_);
  }

 private:
  RealTargets targets_;
  TransactionRules rules_;
};

}  // namespace

std::unique_ptr<FileTransactions> make_checked_transactions(
    RealTargets targets, std::function<Result<void>(const Path& path, PathRole role)> check) {
  return std::make_unique<CheckedTransactions>(targets, std::move(check));
}

}  // namespace berth
