#include "policy/rules/ruled.h"

#include <algorithm>
#include <array>

#include "policy/forwarding_backend.h"
#include "policy/forwarding_jobs.h"
#include "policy/rules/rule_errors.h"
#include "policy/rules/rulings.h"

namespace berth {
namespace {

struct Faces {
  Faces(const RealTargets& targets, const LinkFreeFaces& plain, const Rulings& rulings)
      : reads(targets.reads() == nullptr ? nullptr : make_ruled_reads(targets, *plain.reads, rulings)),
        writes(targets.writes() == nullptr ? nullptr : make_ruled_writes(targets, rulings)),
        search(targets.search() == nullptr ? nullptr : make_ruled_search(targets, *plain.search, rulings)),
        transactions(targets.transactions() == nullptr ? nullptr : make_ruled_transactions(targets, rulings)) {}

  std::unique_ptr<FileReads> reads;
  std::unique_ptr<FileWrites> writes;
  std::unique_ptr<TreeSearch> search;
  std::unique_ptr<FileTransactions> transactions;
};

class RuledCommands final : public CommandRunner {
 public:
  RuledCommands(CommandRunner& inner, FileReads* reads, const Rulings& rulings)
      : inner_(inner), reads_(reads), rulings_(rulings) {}

  Result<CommandOutcome> run(const Call& call, const CommandSpec& spec, OutputSink* sink) override {
    BERTH_CHECK(check_command(call, spec, reads_, rulings_));
    return inner_.run(call, spec, sink);
  }

 private:
  CommandRunner& inner_;
  FileReads* reads_;
  const Rulings& rulings_;
};

/// The command of a job is judged as any; what is done to one that was let start needs no more leave.
class RuledJobs final : public ForwardingJobs {
 public:
  RuledJobs(JobControl& jobs, FileReads* reads, const Rulings& rulings)
      : ForwardingJobs(jobs), reads_(reads), rulings_(rulings) {}

  Result<JobInfo> start(const Call& call, const JobSpec& spec) override {
    BERTH_CHECK(check_command(call, spec.command, reads_, rulings_));
    return inner().start(call, spec);
  }

 private:
  FileReads* reads_;
  const Rulings& rulings_;
};

LinkFreeFaces usual_faces(Backend& backend) {
  return {.reads = backend.reads(),
          .writes = backend.writes(),
          .search = backend.search(),
          .transactions = backend.transactions()};
}

class RuledBackend final : public ForwardingBackend {
 public:
  RuledBackend(std::unique_ptr<Backend> wrapped, const RuleSet& rules)
      : ForwardingBackend(std::move(wrapped)),
        rulings_(rules, inner().info().root_names),
        faces_(RealTargets::resolving(inner()), usual_faces(inner()), rulings_),
        link_free_(RealTargets::resolved(inner()), inner().link_free(), rulings_) {
    if (inner().commands() != nullptr) {
      commands_ = std::make_unique<RuledCommands>(*inner().commands(), inner().reads(), rulings_);
    }
    if (inner().jobs() != nullptr) {
      jobs_ = std::make_unique<RuledJobs>(*inner().jobs(), inner().reads(), rulings_);
    }
  }

  FileReads* reads() noexcept override { return faces_.reads.get(); }
  FileWrites* writes() noexcept override { return faces_.writes.get(); }
  TreeSearch* search() noexcept override { return faces_.search.get(); }
  FileTransactions* transactions() noexcept override { return faces_.transactions.get(); }
  CommandRunner* commands() noexcept override { return commands_.get(); }
  JobControl* jobs() noexcept override { return jobs_.get(); }
  LinkFreeFaces link_free() noexcept override {
    return {.reads = link_free_.reads.get(),
            .writes = link_free_.writes.get(),
            .search = link_free_.search.get(),
            .transactions = link_free_.transactions.get()};
  }

 private:
  Rulings rulings_;
  Faces faces_;
  Faces link_free_;
  std::unique_ptr<CommandRunner> commands_;
  std::unique_ptr<JobControl> jobs_;
};

constexpr std::array kUses{Operation::read, Operation::ls, Operation::write, Operation::edit};

}  // namespace

Result<void> Rulings::check(Operation operation, const Path& path) const {
  const auto verdict = rules_.of_path(operation, path.text(), root_names_);
  if (verdict.action != RuleAction::deny) return {};
  return denied_by_rule(operation, verdict);
}

Result<void> Rulings::check_base(Operation operation, const Path& base) const {
  const auto verdict = rules_.of_base(operation, base.text(), root_names_);
  if (verdict.action != RuleAction::deny) return {};
  return denied_by_rule(operation, verdict);
}

Result<void> Rulings::check_facts(const Path& path) const {
  for (const auto operation : kUses) {
    const auto verdict = operation == Operation::ls ? rules_.of_base(operation, path.text(), root_names_)
                                                    : rules_.of_path(operation, path.text(), root_names_);
    if (verdict.action != RuleAction::deny) return {};
  }
  return check(Operation::read, path);
}

bool Rulings::may_deny_facts() const noexcept {
  return std::ranges::all_of(kUses, [this](Operation operation) { return may_deny(operation); });
}

std::unique_ptr<Backend> make_ruled(std::unique_ptr<Backend> inner, const RuleSet& rules) {
  return std::make_unique<RuledBackend>(std::move(inner), rules);
}

}  // namespace berth
