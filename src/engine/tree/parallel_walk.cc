#include "engine/tree/parallel_walk.h"

#include <iterator>
#include <thread>

namespace berth::engine {
namespace {

bool ends_the_walk(const Error& error) noexcept {
  return error.code == ErrorCode::cancelled || error.code == ErrorCode::timed_out;
}

/// Passes the files of one directory on and keeps its directories.
class Visit final : public EntryVisitor {
 public:
  Visit(const WalkScope& scope, const DirectoryHandle& directory, FileSink& sink)
      : scope_(scope), handle_(directory), sink_(sink) {}

  void file(const WalkedDirectory& in, std::string_view name) override { sink_.file(in.path, name); }
  void directory(const WalkedDirectory&, std::string_view name) override {
    found.push_back(scope_.place(handle_, name));
  }

  std::vector<DirectoryPlace> found;

 private:
  const WalkScope& scope_;
  const DirectoryHandle& handle_;
  FileSink& sink_;
};

}  // namespace

Result<void> ParallelWalk::run(const Call& call, const std::vector<FileSink*>& sinks) {
  if (auto top = visit(call, scope_.top(), *sinks[0]); !top) {
    if (ends_the_walk(top.error())) return top;
    report(scope_.top()->path, top.error());
  }
  {
    std::vector<std::jthread> helpers;
    const std::size_t threads = found_.empty() ? 1 : sinks.size();
    for (std::size_t i = 1; i < threads; ++i) {
      helpers.emplace_back([this, &call, sink = sinks[i]] { work(call, *sink); });
    }
    work(call, *sinks[0]);
  }
  if (failure_) return *std::move(failure_);
  return {};
}

void ParallelWalk::work(const Call& call, FileSink& sink) {
  std::unique_lock lock(mutex_);
  for (;;) {
    // Whoever is busy looks at the call, so this wait ends with it.
    changed_.wait(lock, [&] { return failure_ || !found_.empty() || busy_ == 0; });
    if (failure_ || found_.empty()) return;
    DirectoryPlace place = std::move(found_.back());
    found_.pop_back();
    ++busy_;
    lock.unlock();

    auto opened = scope_.open_found(call, place);
    place.parent.reset();
    Result<void> outcome;
    if (!opened) {
      outcome = std::move(opened).error();
    } else if (*opened) {
      outcome = visit(call, *opened, sink);
    }
    if (!outcome && !ends_the_walk(outcome.error())) {
      report(place.path, outcome.error());
      outcome = {};
    }

    lock.lock();
    --busy_;
    if (!outcome && !failure_) failure_ = std::move(outcome).error();
    if (failure_ || busy_ == 0) changed_.notify_all();
  }
}

Result<void> ParallelWalk::visit(const Call& call, const DirectoryHandle& directory, FileSink& sink) {
  Visit visit(scope_, directory, sink);
  auto outcome = scope_.scan(call, *directory, visit);
  sink.end_directory(directory->path);
  if (!visit.found.empty()) {
    const std::lock_guard lock(mutex_);
    std::move(visit.found.begin(), visit.found.end(), std::back_inserter(found_));
    changed_.notify_all();
  }
  return outcome;
}

void ParallelWalk::report(const Path& directory, const Error& error) {
  // Deleted while it was read: as if it had never been there.
  if (error.code == ErrorCode::not_found) return;
  const std::lock_guard lock(mutex_);
  unreadable_.add(directory, error.code);
}

}  // namespace berth::engine
