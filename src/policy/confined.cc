#include "policy/confined.h"

#include "policy/confined_view.h"
#include "policy/policy_faces.h"

namespace berth {
namespace {

class ConfinedCommands final : public CommandRunner {
 public:
  ConfinedCommands(CommandRunner& commands, FileReads& reads, ConfinedView& view)
      : commands_(commands), reads_(reads), view_(view) {}

  Result<CommandOutcome> run(const Call& call, const CommandSpec& spec, OutputSink* sink) override {
    BERTH_TRY(const Path* base, view_.base(call));
    BERTH_TRY(const Path directory, join(*base, spec.cwd));
    BERTH_TRY(Path real, reads_.real_path(call, directory));
    BERTH_CHECK(check_inside(*base, real));
    CommandSpec inside = spec;
    inside.cwd = std::move(real);
    return commands_.run(call, inside, sink);
  }

 private:
  CommandRunner& commands_;
  FileReads& reads_;
  ConfinedView& view_;
};

constexpr FaceMakers<ConfinedView> kFaces{.reads = make_confined_reads,
                                          .writes = make_confined_writes,
                                          .search = make_confined_search,
                                          .transactions = make_confined_transactions};

/// Jobs that were started in the directory, whoever started them; others do not exist.
class ConfinedJobs final : public JobControl {
 public:
  ConfinedJobs(JobControl& jobs, FileReads& reads, ConfinedView& view) : jobs_(jobs), reads_(reads), view_(view) {}

  Result<JobInfo> start(const Call& call, const JobSpec& spec) override {
    BERTH_TRY(const Path* base, view_.base(call));
    BERTH_TRY(const Path directory, join(*base, spec.command.cwd));
    BERTH_TRY(Path real, reads_.real_path(call, directory));
    BERTH_CHECK(check_inside(*base, real));
    JobSpec inside = spec;
    inside.command.cwd = std::move(real);
    BERTH_TRY(auto job, jobs_.start(call, inside));
    // A repeated start may be of a job that somebody else started elsewhere.
    return rebased(*base, std::move(job));
  }
  Result<std::vector<JobInfo>> list(const Call& call) override {
    BERTH_TRY(const Path* base, view_.base(call));
    BERTH_TRY(auto all, jobs_.list(call));
    std::vector<JobInfo> inside;
    for (auto& job : all) {
      if (auto ours = rebased(*base, std::move(job))) inside.push_back(*std::move(ours));
    }
    return inside;
  }
  Result<JobInfo> get(const Call& call, const JobId& id) override {
    BERTH_TRY(const Path* base, view_.base(call));
    BERTH_TRY(auto job, jobs_.get(call, id));
    return rebased(*base, std::move(job));
  }
  Result<JobOutput> read(const Call& call, const JobId& id, const JobRead& request) override {
    BERTH_CHECK(get(call, id));
    return jobs_.read(call, id, request);
  }
  Result<StdinOutcome> write_stdin(const Call& call, const JobId& id, BytesView content, StdinEnd end) override {
    BERTH_CHECK(get(call, id));
    return jobs_.write_stdin(call, id, content, end);
  }
  Result<SignalOutcome> signal(const Call& call, const JobId& id, int number) override {
    BERTH_CHECK(get(call, id));
    return jobs_.signal(call, id, number);
  }
  Result<JobInfo> stop(const Call& call, const JobId& id, std::chrono::milliseconds grace) override {
    BERTH_TRY(const Path* base, view_.base(call));
    BERTH_CHECK(get(call, id));
    BERTH_TRY(auto job, jobs_.stop(call, id, grace));
    return rebased(*base, std::move(job));
  }
  Result<JobInfo> wait(const Call& call, const JobId& id, std::optional<std::chrono::milliseconds> at_most) override {
    BERTH_TRY(const Path* base, view_.base(call));
    BERTH_CHECK(get(call, id));
    BERTH_TRY(auto job, jobs_.wait(call, id, at_most));
    return rebased(*base, std::move(job));
  }
  Result<void> resize(const Call& call, const JobId& id, TerminalSize size) override {
    BERTH_CHECK(get(call, id));
    return jobs_.resize(call, id, size);
  }
  Result<void> forget(const Call& call, const JobId& id) override {
    BERTH_CHECK(get(call, id));
    return jobs_.forget(call, id);
  }

 private:
  static Result<JobInfo> rebased(const Path& base, JobInfo job) {
    if (!job.cwd.is_within(base)) {
      auto error = make_error(ErrorCode::not_found, "there is no job with this id; it may have been forgotten");
      error.hint = "the list of jobs says which there are";
      return error;
    }
    job.cwd = rebase(job.cwd, base, Path());
    return job;
  }

  JobControl& jobs_;
  FileReads& reads_;
  ConfinedView& view_;
};

BackendInfo info_of(const BackendInfo& inner, const Path& directory) {
  BackendInfo info = inner;
  if (directory.is_root()) return info;
  for (auto& name : info.root_names) name += (name == "/" ? "" : "/") + directory.text();
  info.resource_key += "/" + directory.text();
  return info;
}

class ConfinedBackend final : public RealNamePolicy {
 public:
  ConfinedBackend(std::unique_ptr<Backend> wrapped, Path directory)
      : RealNamePolicy(std::move(wrapped)),
        info_(info_of(inner().info(), directory)),
        view_(inner(), std::move(directory)) {
    make_faces(kFaces, view_);
    // Where a directory cannot be checked, nothing is run in it.
    if (inner().commands() != nullptr && inner().reads() != nullptr) {
      commands_ = std::make_unique<ConfinedCommands>(*inner().commands(), *inner().reads(), view_);
    }
    if (inner().jobs() != nullptr && inner().reads() != nullptr) {
      jobs_ = std::make_unique<ConfinedJobs>(*inner().jobs(), *inner().reads(), view_);
    }
  }

  const BackendInfo& info() const noexcept override { return info_; }
  Result<void> ensure(const Call& call) override {
    BERTH_CHECK(inner().ensure(call));
    if (inner().reads() == nullptr) return {};
    if (auto base = view_.base(call); !base) return std::move(base).error();
    return {};
  }

  CommandRunner* commands() noexcept override { return commands_.get(); }
  JobControl* jobs() noexcept override { return jobs_.get(); }

 private:
  BackendInfo info_;
  ConfinedView view_;
  std::unique_ptr<CommandRunner> commands_;
  std::unique_ptr<JobControl> jobs_;
};

}  // namespace

Result<const Path*> ConfinedView::base(const Call& call) {
  if (known_.load(std::memory_order_acquire)) return &*base_;
  const std::lock_guard held(lookup_);
  if (base_) return &*base_;
  auto real = look_up(call);
  if (!real) return std::move(real).error().at(directory_.text());
  base_ = *std::move(real);
  known_.store(true, std::memory_order_release);
  return &*base_;
}

Result<Path> ConfinedView::look_up(const Call& call) const {
  BERTH_TRY(Path real, inner_.reads()->real_path(call, directory_));
  const auto facts = inner_.reads()->stat(call, real, FollowLeaf::no);
  if (!facts && facts.error().code == ErrorCode::not_found) {
    return make_error(ErrorCode::not_found, "the directory that is to be the workspace's root does not exist");
  }
  if (!facts) return facts.error();
  if (facts->kind != FileKind::directory) {
    return make_error(ErrorCode::not_a_directory, "what is to be the workspace's root is not a directory");
  }
  return real;
}

Result<void> check_inside(const Path& base, const Path& real) {
  if (real.is_within(base)) return {};
  return make_error(ErrorCode::path_escape, "the path leads out of the workspace");
}

std::unique_ptr<Backend> make_confined(std::unique_ptr<Backend> inner, Path directory) {
  return std::make_unique<ConfinedBackend>(std::move(inner), std::move(directory));
}

}  // namespace berth
