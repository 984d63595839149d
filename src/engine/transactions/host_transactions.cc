#include "engine/transactions/host_transactions.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <set>
#include <tuple>

#include "contract/transaction_checks.h"
#include "engine/files/read_bytes.h"
#include "engine/transactions/change.h"
#include "engine/transactions/journal.h"
#include "engine/transactions/undo.h"
#include "os/directory.h"
#include "os/directory_lock.h"
#include "os/root_gone.h"
#include "os/temp_name.h"

namespace berth::engine {
namespace {

using State = TransactionOutcome::State;
using OperationState = OperationOutcome::State;

constexpr int kAttempts = 16;

/// Failures that say nothing about one operation.
bool is_of_the_call(ErrorCode code) noexcept {
  return code == ErrorCode::timed_out || code == ErrorCode::cancelled || code == ErrorCode::environment_gone;
}

/// By their real paths, so that no link makes one path look like two.
Result<void> check_paths(const std::deque<Change>& changes) {
  std::vector<OperationPaths> paths;
  for (const Change& change : changes) {
    OperationPaths one{{change.path()}, change.is_of_a_file()};
    if (change.is_move()) one.paths.push_back(change.to());
    paths.push_back(std::move(one));
  }
  return check_disjoint(paths);
}

/// Take the locks of directories in the one order that everybody takes them in.
Result<std::vector<os::DirectoryLock>> lock_all(const Call& call, const std::vector<int>& directories) {
  std::vector<std::tuple<dev_t, ino_t, int>> order;
  for (const int directory : directories) {
    struct stat st;
    if (fstat(directory, &st) != 0) return errno_error(errno, "look at the directory");
    order.emplace_back(st.st_dev, st.st_ino, directory);
  }
  std::ranges::sort(order);
  const auto same = [](const auto& a, const auto& b) {
    return std::get<0>(a) == std::get<0>(b) && std::get<1>(a) == std::get<1>(b);
  };
  order.erase(std::unique(order.begin(), order.end(), same), order.end());
  std::vector<os::DirectoryLock> locks;
  for (const auto& [device, inode, directory] : order) {
    BERTH_TRY(auto lock, os::DirectoryLock::take(call, directory));
    locks.push_back(std::move(lock));
  }
  return locks;
}

/// The directories that are missing above what is to be made, parents first.
Result<std::vector<Path>> missing_parents(const Call& call, const os::Root& root, const std::deque<Change>& changes) {
  std::set<Path> missing;
  for (const Change& change : changes) {
    const Path* made = change.needs_parents();
    if (made == nullptr) continue;
    for (Path above = made->parent(); !above.is_root(); above = above.parent()) {
      const auto there = root.open_path(call, above, O_PATH | O_DIRECTORY);
      if (there || there.error().code != ErrorCode::not_found) break;
      missing.insert(above);
    }
  }
  return std::vector<Path>(missing.begin(), missing.end());
}

class Run {
 public:
  Run(const Call& call, FileEngine& engine, const TransactionProbe& probe, std::span<const FileOperation> operations)
      : call_(call), engine_(engine), probe_(probe), operations_(operations) {}
  ~Run() { unmake(); }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// Nothing: what stands there changed its kind meanwhile; begin again.
  Result<std::optional<TransactionOutcome>> once() {
    for (const auto& operation : operations_) changes_.emplace_back(engine_, operation);
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      auto looked = changes_[i].look(call_);
      if (!looked) return refused(i, std::move(looked).error());
    }
    BERTH_CHECK(check_paths(changes_));

    BERTH_TRY(made_, missing_parents(call_, *engine_.root, changes_));
    BERTH_CHECK(ask("journal"));
    BERTH_TRY(Journal journal, Journal::begin(call_, *engine_.root, engine_.options.durability, made_));
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      auto staged = ask("stage");
      if (staged) staged = changes_[i].stage(call_);
      if (!staged) return not_begun(i, std::move(staged).error());
    }

    std::vector<int> directories{engine_.root->fd()};
    for (const auto& change : changes_) {
      for (const int directory : change.directories()) directories.push_back(directory);
    }
    BERTH_TRY(const auto locks, lock_all(call_, directories));
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      auto confirmed = changes_[i].confirm(call_);
      if (!confirmed) return refused(i, std::move(confirmed).error());
      if (!*confirmed) return std::optional<TransactionOutcome>();
    }
    std::vector<JournalStep> steps;
    for (const auto& change : changes_) {
      if (change.step()) steps.push_back(*change.step());
    }
    BERTH_CHECK(ask("prepare"));
    BERTH_CHECK(journal.prepared(call_, steps));
    return std::optional(commit(journal));
  }

 private:
  Result<void> ask(std::string_view step) const { return probe_ ? probe_(step) : Result<void>(); }

  std::optional<TransactionOutcome> all(State state) const {
    TransactionOutcome outcome{state, {}};
    outcome.operations.resize(operations_.size());
    return outcome;
  }

  Result<std::optional<TransactionOutcome>> refused(std::size_t index, Error error) {
    unmake();  // while the journal still names the parents
    if (is_of_the_call(error.code)) return error;
    return std::optional(precondition_failed(operations_.size(), index, std::move(error)));
  }

  Result<std::optional<TransactionOutcome>> not_begun(std::size_t index, Error error) {
    unmake();
    if (is_of_the_call(error.code)) return error;
    auto outcome = all(State::rolled_back);
    outcome->operations[index] = {.state = OperationState::failed, .error = std::move(error)};
    return outcome;
  }

  /// From here on the call is not asked any more: the transaction is finished or undone.
  TransactionOutcome commit(Journal& journal) {
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      auto kept = ask("keep");
      if (kept) kept = changes_[i].keep();
      if (!kept) return undo(journal, 0, i, std::move(kept).error());
    }
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      auto done = ask("act");
      if (done) done = changes_[i].act();
      if (!done) return undo(journal, i, i, std::move(done).error());
    }
    const Call finish;
    Result<void> committed;
    if (engine_.options.durability == Durability::durable) {
      for (auto& change : changes_) {
        if (committed) committed = change.sync(finish);
      }
    }
    if (committed) committed = ask("commit");
    if (committed) committed = journal.committed(finish);
    if (!committed) return undo(journal, changes_.size(), changes_.size() - 1, std::move(committed).error());

    made_.clear();
    TransactionOutcome outcome{State::applied, {}};
    for (auto& change : changes_) {
      change.settle();
      outcome.operations.push_back(change.outcome());
      (void)ask("forget");
      if (change.step()) forget_step(*engine_.root, *change.step());
    }
    (void)ask("end");
    return outcome;
  }

  /// Undo the first `done` changes, and what was kept for all. `failed` is the operation to blame.
  TransactionOutcome undo(Journal& journal, std::size_t done, std::size_t failed, Error error) {
    TransactionOutcome outcome = *all(State::rolled_back);
    const Call tidy;
    for (std::size_t i = changes_.size(); i-- > 0;) {
      const auto& step = changes_[i].step();
      OperationOutcome& operation = outcome.operations[i];
      if (i < done) operation.state = OperationState::rolled_back;
      if (!step) continue;
      auto asked = ask("undo");
      auto undone = asked ? undo_step(tidy, *engine_.root, *step) : Result<Undone>(asked.error());
      // A step that was not done has changed nothing, whatever others do there.
      if (undone && (*undone == Undone::yes || i >= done)) continue;
      outcome.state = State::ambiguous;
      operation.state = OperationState::unknown;
      operation.error = undone ? make_error(ErrorCode::ambiguous, "another process changed it during the transaction")
                               : undone.error();
      // What could not be undone now is tried again by the next one who opens the workspace.
      if (!undone) journal.leave();
    }
    OperationOutcome& blamed = outcome.operations[failed];
    if (blamed.state != OperationState::unknown) blamed = {.state = OperationState::failed, .error = std::move(error)};
    unmake();
    return outcome;
  }

  /// Take away the staged files and the directories that were made for them.
  void unmake() noexcept {
    changes_.clear();
    // Each `NewParents` knows only its own, and could not remove what another change had staged a file in.
    unmake_directories(*engine_.root, made_);
    made_.clear();
  }

  const Call& call_;
  FileEngine& engine_;
  const TransactionProbe& probe_;
  std::span<const FileOperation> operations_;
  std::deque<Change> changes_;
  std::vector<Path> made_;  ///< the directories that this makes, parents first
};

/// A journal that nobody holds, locked and read again under the locks of all it touches.
class Repair {
 public:
  Repair(const Call& call, const os::Root& root, std::string name) : call_(call), root_(root), name_(std::move(name)) {}

  Result<void> run(TransactionRecovery& recovery) {
    const os::Fd file(openat(root_.fd(), name_.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file) {
      if (errno == ENOENT) return {};
      return errno_error(errno, "open a transaction's journal");
    }
    if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) return {};
    struct stat held;
    struct stat named;
    if (fstat(file.get(), &held) != 0 || !S_ISREG(held.st_mode)) return {};
    // Finished between the listing and the lock.
    if (fstatat(root_.fd(), name_.c_str(), &named, AT_SYMLINK_NOFOLLOW) != 0 || named.st_ino != held.st_ino) return {};
    BERTH_TRY(const Bytes text, read_to_end(call_, file.get()));
    const auto journal = try_parse_journal(text);
    if (journal) BERTH_CHECK(repair(*journal, recovery));
    unlinkat(root_.fd(), name_.c_str(), 0);
    return {};
  }

 private:
  Result<void> repair(const JournalContent& journal, TransactionRecovery& recovery) {
    std::vector<os::Root::Leaf> leaves;
    std::vector<int> directories{root_.fd()};
    for (const auto& step : journal.steps) {
      for (const Path* path : {&step.path, &step.to}) {
        if (path->is_root()) continue;
        auto leaf = root_.parent_of(call_, *path, os::Root::Parents::must_exist);
        if (!leaf) continue;
        leaves.push_back(*std::move(leaf));
        directories.push_back(leaves.back().directory.get());
      }
    }
    BERTH_TRY(const auto locks, lock_all(call_, directories));
    if (journal.committed) {
      for (const auto& step : journal.steps) forget_step(root_, step);
      ++recovery.finished;
      return {};
    }
    for (auto step = journal.steps.rbegin(); step != journal.steps.rend(); ++step) {
      BERTH_TRY(const Undone undone, undo_step(call_, root_, *step));
      if (undone == Undone::changed) recovery.unresolved.push_back(step->path);
    }
    unmake_directories(root_, journal.made);
    ++recovery.rolled_back;
    return {};
  }

  const Call& call_;
  const os::Root& root_;
  std::string name_;
};

class RootTransactions final : public HostTransactions {
 public:
  RootTransactions(std::shared_ptr<const os::Root> root, FileOptions options, TransactionProbe probe)
      : engine_{std::move(root), options, {}, {}, {}}, probe_(std::move(probe)) {}

  Result<TransactionOutcome> apply(const Call& call, std::span<const FileOperation> operations) override {
    BERTH_CHECK(check_transaction(operations));
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      BERTH_CHECK(call.check());
      BERTH_TRY(auto outcome, os::or_gone(*engine_.root, Run(call, engine_, probe_, operations).once()));
      if (!outcome) continue;
      if (outcome->state == TransactionOutcome::State::precondition_failed && engine_.root->gone()) {
        return os::root_gone();
      }
      return *std::move(outcome);
    }
    return make_error(ErrorCode::conflict, "what stands at the paths kept changing");
  }

  Result<TransactionRecovery> recover(const Call& call) override {
    return os::or_gone(*engine_.root, search_and_repair(call));
  }

 private:
  Result<TransactionRecovery> search_and_repair(const Call& call) {
    TransactionRecovery recovery;
    const os::Fd listed(openat(engine_.root->fd(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    // A root that cannot be listed cannot be searched for journals; transactions in it still work.
    if (!listed) return recovery;
    std::vector<std::string> names;
    os::DirectoryReader reader(listed.get());
    for (;;) {
      BERTH_TRY(const auto* entry, reader.next());
      if (entry == nullptr) break;
      if (os::is_journal_name(entry->name)) names.emplace_back(entry->name);
    }
    for (auto& name : names) BERTH_CHECK(Repair(call, *engine_.root, std::move(name)).run(recovery));
    return recovery;
  }

  FileEngine engine_;
  TransactionProbe probe_;
};

}  // namespace

std::unique_ptr<HostTransactions> HostTransactions::make(std::shared_ptr<const os::Root> root, FileOptions options,
                                                         TransactionProbe probe) {
  return std::make_unique<RootTransactions>(std::move(root), options, std::move(probe));
}

}  // namespace berth::engine
