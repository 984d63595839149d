#include "policy/audit.h"

#include <deque>

#include "base/hash.h"
#include "policy/forwarding_backend.h"
#include "policy/forwarding_jobs.h"

namespace berth {
namespace {

/// Writes events to the log, or keeps them until it takes them.
class Recorder {
 public:
  Recorder(std::shared_ptr<AuditLog> log, AuditOptions options) : log_(std::move(log)), options_(std::move(options)) {}

  ~Recorder() {
    const std::lock_guard held(mutex_);
    (void)write_pending();
  }

  const AuditOptions& options() const noexcept { return options_; }

  /// Whether a change may start: everything before it is recorded.
  Result<void> admit() {
    const std::lock_guard held(mutex_);
    if (write_pending()) return {};
    return make_error(ErrorCode::unavailable, "the audit log cannot be written, so nothing is changed");
  }

  void record(AuditEvent event) {
    const std::lock_guard held(mutex_);
    pending_.push_back(std::move(event));
    (void)write_pending();
  }

 private:
  bool write_pending() {
    while (!pending_.empty()) {
      if (!log_->record(pending_.front())) return false;
      pending_.pop_front();
    }
    return true;
  }

  std::shared_ptr<AuditLog> log_;
  const AuditOptions options_;
  std::mutex mutex_;
  std::deque<AuditEvent> pending_;
};

/// Carry out a change and record it. `finish(event, outcome)` adds what the outcome tells.
template <typename Act, typename Finish>
auto recorded(Recorder& recorder, const Call& call, AuditEvent event, const Act& act, const Finish& finish)
    -> std::invoke_result_t<Act> {
  BERTH_CHECK(recorder.admit());
  event.time = std::chrono::system_clock::now();
  event.actor = recorder.options().actor;
  event.trace_id = call.trace_id;
  const auto begin = Clock::now();
  auto result = act();
  event.duration = Clock::now() - begin;
  if (result) {
    event.outcome = "ok";
    finish(event, *result);
  } else {
    event.outcome = error_info(result.error().code).name;
  }
  recorder.record(std::move(event));
  return result;
}

constexpr auto kNothingToAdd = [](AuditEvent&, const auto&) {};

std::string_view operation_of(WriteSpec::When when) {
  switch (when) {
    case WriteSpec::When::always: return "write";
    case WriteSpec::When::absent: return "create";
    case WriteSpec::When::revision_matches: return "replace";
  }
  return "write";
}

std::string_view operation_of(RemoveSpec::What what) {
  switch (what) {
    case RemoveSpec::What::file_if_present: return "delete";
    case RemoveSpec::What::file_if_revision: return "delete_if";
    case RemoveSpec::What::tree: return "remove";
  }
  return "remove";
}

class AuditedWrites final : public FileWrites {
 public:
  AuditedWrites(FileWrites& writes, Recorder& recorder) : writes_(writes), recorder_(recorder) {}

  Result<WriteOutcome> write(const Call& call, const Path& path, BytesView content, const WriteSpec& spec) override {
    AuditEvent event{.operation = std::string(operation_of(spec.when)), .path = path};
    if (spec.when == WriteSpec::When::revision_matches) event.before = spec.expected_revision;
    return recorded(
        recorder_, call, std::move(event), [&] { return writes_.write(call, path, content, spec); },
        [](AuditEvent& done, const WriteOutcome& outcome) {
          if (outcome.previous_revision) done.before = outcome.previous_revision;
          done.after = outcome.revision;
        });
  }

  Result<RemoveOutcome> remove(const Call& call, const Path& path, const RemoveSpec& spec) override {
    AuditEvent event{.operation = std::string(operation_of(spec.what)), .path = path};
    if (spec.what == RemoveSpec::What::file_if_revision) event.before = spec.expected_revision;
    return recorded(
        recorder_, call, std::move(event), [&] { return writes_.remove(call, path, spec); }, kNothingToAdd);
  }

  Result<MoveOutcome> move(const Call& call, const Path& from, const Path& to, const MoveSpec& spec) override {
    AuditEvent event{.operation = "move", .path = from, .to = to, .before = spec.expected_revision};
    return recorded(
        recorder_, call, std::move(event), [&] { return writes_.move(call, from, to, spec); },
        [](AuditEvent& done, const MoveOutcome& outcome) { done.after = outcome.revision; });
  }

  Result<MakeDirectoryOutcome> make_directory(const Call& call, const Path& path) override {
    return recorded(
        recorder_, call, {.operation = "make_directory", .path = path},
        [&] { return writes_.make_directory(call, path); }, kNothingToAdd);
  }

  Result<PruneOutcome> prune_empty_directories(const Call& call, const Path& path,
                                               std::int64_t max_directories) override {
    return recorded(
        recorder_, call, {.operation = "prune_empty_directories", .path = path},
        [&] { return writes_.prune_empty_directories(call, path, max_directories); }, kNothingToAdd);
  }

 private:
  FileWrites& writes_;
  Recorder& recorder_;
};

AuditEvent event_of(const FileOperation& operation) {
  struct Visitor {
    AuditEvent operator()(const WriteOperation& write) const {
      AuditEvent event{.operation = std::string(operation_of(write.spec.when)), .path = write.path};
      if (write.spec.when == WriteSpec::When::revision_matches) event.before = write.spec.expected_revision;
      return event;
    }
    AuditEvent operator()(const RemoveOperation& remove) const {
      AuditEvent event{.operation = std::string(operation_of(remove.spec.what)), .path = remove.path};
      if (remove.spec.what == RemoveSpec::What::file_if_revision) event.before = remove.spec.expected_revision;
      return event;
    }
    AuditEvent operator()(const MoveOperation& move) const {
      return {.operation = "move", .path = move.from, .to = move.to, .before = move.spec.expected_revision};
    }
    AuditEvent operator()(const MakeDirectoryOperation& made) const {
      return {.operation = "make_directory", .path = made.path};
    }
  };
  return std::visit(Visitor{}, operation);
}

std::string_view name_of(const OperationOutcome& outcome) {
  switch (outcome.state) {
    case OperationOutcome::State::applied: return "ok";
    case OperationOutcome::State::not_started: return "not_started";
    case OperationOutcome::State::rolled_back: return "rolled_back";
    case OperationOutcome::State::failed:
    case OperationOutcome::State::unknown: break;
  }
  return outcome.error ? error_info(outcome.error->code).name : std::string_view("ambiguous");
}

/// One event an operation, as if each were a call of its own.
class AuditedTransactions final : public FileTransactions {
 public:
  AuditedTransactions(FileTransactions& transactions, Recorder& recorder)
      : transactions_(transactions), recorder_(recorder) {}

  Result<TransactionOutcome> apply(const Call& call, std::span<const FileOperation> operations) override {
    BERTH_CHECK(recorder_.admit());
    const auto time = std::chrono::system_clock::now();
    const auto begin = Clock::now();
    auto result = transactions_.apply(call, operations);
    const auto duration = Clock::now() - begin;
    for (std::size_t i = 0; i < operations.size(); ++i) {
      AuditEvent event = event_of(operations[i]);
      event.time = time;
      event.actor = recorder_.options().actor;
      event.trace_id = call.trace_id;
      event.duration = duration;
      if (result) {
        const OperationOutcome& outcome = result->operations[i];
        event.outcome = name_of(outcome);
        if (outcome.previous_revision) event.before = outcome.previous_revision;
        event.after = outcome.revision;
      } else {
        event.outcome = error_info(result.error().code).name;
      }
      recorder_.record(std::move(event));
    }
    return result;
  }

 private:
  FileTransactions& transactions_;
  Recorder& recorder_;
};

std::string_view name_of(CommandOutcome::Kind kind) {
  switch (kind) {
    case CommandOutcome::Kind::exited: return "exited";
    case CommandOutcome::Kind::signaled: return "signaled";
    case CommandOutcome::Kind::timed_out: return "timed_out";
    case CommandOutcome::Kind::output_limited: return "output_limited";
    case CommandOutcome::Kind::cancelled: return "cancelled";
    case CommandOutcome::Kind::lost: return "lost";
  }
  return "lost";
}

/// An event about a command that is about to run: what, where, and its words when they are asked for.
AuditEvent command_event(std::string operation, const CommandSpec& spec, AuditOptions::Words wanted) {
  std::vector<Bytes> words = spec.argv;
  if (words.empty()) words = {"/bin/sh", "-c", spec.script};
  Sha256Stream digest;
  for (const auto& word : words) {
    digest.add(word);
    digest.add(BytesView("\0", 1));
  }
  AuditEvent event{.operation = std::move(operation),
                   .path = spec.cwd,
                   .program = words.front(),
                   .command_sha256 = to_hex(digest.finish())};
  if (wanted == AuditOptions::Words::all) event.words = std::move(words);
  return event;
}

class AuditedCommands final : public CommandRunner {
 public:
  AuditedCommands(CommandRunner& commands, Recorder& recorder) : commands_(commands), recorder_(recorder) {}

  Result<CommandOutcome> run(const Call& call, const CommandSpec& spec, OutputSink* sink) override {
    return recorded(
        recorder_, call, command_event("run", spec, recorder_.options().words),
        [&] { return commands_.run(call, spec, sink); },
        [](AuditEvent& done, const CommandOutcome& outcome) {
          done.outcome = name_of(outcome.kind);
          done.status = outcome.shell_status();
        });
  }

 private:
  CommandRunner& commands_;
  Recorder& recorder_;
};

/// How a job ends by itself is asked for by nobody, so it is not recorded; what is done to it is.
class AuditedJobs final : public ForwardingJobs {
 public:
  AuditedJobs(JobControl& jobs, Recorder& recorder) : ForwardingJobs(jobs), recorder_(recorder) {}

  Result<JobInfo> start(const Call& call, const JobSpec& spec) override {
    return recorded(
        recorder_, call, command_event("start_job", spec.command, recorder_.options().words),
        [&] { return inner().start(call, spec); },
        [](AuditEvent& done, const JobInfo& job) { done.job = job.id.text; });
  }
  Result<StdinOutcome> write_stdin(const Call& call, const JobId& id, BytesView content, StdinEnd end) override {
    return recorded(
        recorder_, call, {.operation = "write_job_stdin", .job = id.text},
        [&] { return inner().write_stdin(call, id, content, end); }, kNothingToAdd);
  }
  Result<SignalOutcome> signal(const Call& call, const JobId& id, int number) override {
    return recorded(
        recorder_, call, {.operation = "signal_job", .job = id.text}, [&] { return inner().signal(call, id, number); },
        [number](AuditEvent& done, SignalOutcome outcome) {
          done.status = number;
          if (outcome == SignalOutcome::already_ended) done.outcome = "already_ended";
        });
  }
  Result<JobInfo> stop(const Call& call, const JobId& id, std::chrono::milliseconds grace) override {
    return recorded(
        recorder_, call, {.operation = "stop_job", .job = id.text}, [&] { return inner().stop(call, id, grace); },
        [](AuditEvent& done, const JobInfo& job) { done.status = job.shell_status(); });
  }
  Result<void> forget(const Call& call, const JobId& id) override {
    BERTH_TRY(const Nothing done, recorded(
                                      recorder_, call, {.operation = "forget_job", .job = id.text},
                                      [&]() -> Result<Nothing> {
                                        BERTH_CHECK(inner().forget(call, id));
                                        return Nothing{};
                                      },
                                      kNothingToAdd));
    (void)done;
    return {};
  }

 private:
  struct Nothing {};

  Recorder& recorder_;
};

template <typename Audited, typename Face>
std::unique_ptr<Audited> audited(Face* face, Recorder& recorder) {
  return face == nullptr ? nullptr : std::make_unique<Audited>(*face, recorder);
}

class AuditedBackend final : public ForwardingBackend {
 public:
  AuditedBackend(std::unique_ptr<Backend> wrapped, std::shared_ptr<AuditLog> log, AuditOptions options)
      : ForwardingBackend(std::move(wrapped)),
        recorder_(std::move(log), std::move(options)),
        writes_(audited<AuditedWrites>(inner().writes(), recorder_)),
        link_free_writes_(audited<AuditedWrites>(inner().link_free().writes, recorder_)),
        commands_(audited<AuditedCommands>(inner().commands(), recorder_)),
        jobs_(audited<AuditedJobs>(inner().jobs(), recorder_)),
        transactions_(audited<AuditedTransactions>(inner().transactions(), recorder_)),
        link_free_transactions_(audited<AuditedTransactions>(inner().link_free().transactions, recorder_)) {}

  FileReads* reads() noexcept override { return inner().reads(); }
  FileWrites* writes() noexcept override { return writes_.get(); }
  TreeSearch* search() noexcept override { return inner().search(); }
  TreeSurvey* survey() noexcept override { return inner().survey(); }
  CommandRunner* commands() noexcept override { return commands_.get(); }
  JobControl* jobs() noexcept override { return jobs_.get(); }
  FileTransactions* transactions() noexcept override { return transactions_.get(); }
  LinkFreeFaces link_free() noexcept override {
    const auto faces = inner().link_free();
    return {.reads = faces.reads,
            .writes = link_free_writes_.get(),
            .search = faces.search,
            .transactions = link_free_transactions_.get()};
  }

 private:
  Recorder recorder_;
  std::unique_ptr<AuditedWrites> writes_;
  std::unique_ptr<AuditedWrites> link_free_writes_;
  std::unique_ptr<AuditedCommands> commands_;
  std::unique_ptr<AuditedJobs> jobs_;
  std::unique_ptr<AuditedTransactions> transactions_;
  std::unique_ptr<AuditedTransactions> link_free_transactions_;
};

}  // namespace

std::unique_ptr<Backend> make_audited(std::unique_ptr<Backend> inner, std::shared_ptr<AuditLog> log,
                                      AuditOptions options) {
  return std::make_unique<AuditedBackend>(std::move(inner), std::move(log), std::move(options));
}

}  // namespace berth
