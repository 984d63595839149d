#include "surface/mcp/resource_watch.h"

#include <utility>
#include <vector>

namespace berth::mcp {
namespace {

// Nothing when the file cannot be looked at just now, which is no change.
Result<std::string> token_of(const Call& call, Workspace& workspace, const std::string& path) {
  auto stat = workspace.stat(call, path);
  if (stat) return stat->token.text();
  const auto code = stat.error().code;
  if (code == ErrorCode::not_found || code == ErrorCode::not_a_directory) return std::string();
  return std::move(stat).error();
}

}  // namespace

ResourceWatch::ResourceWatch(Workspace& workspace, Options options) : workspace_(workspace), options_(options) {}

ResourceWatch::~ResourceWatch() = default;

Result<std::uint64_t> ResourceWatch::add(const Call& call, std::string path, std::weak_ptr<Listener> listener) {
  BERTH_TRY(auto token, token_of(call, workspace_, path));
  const std::lock_guard lock(mutex_);
  if (watched_.size() >= options_.max_files) {
    return make_error(ErrorCode::rate_limited, "too many files are watched already")
        .with("max_files", static_cast<std::int64_t>(options_.max_files));
  }
  const auto watch = ++last_;
  watched_.emplace(watch, Watched{std::move(path), std::move(token), std::move(listener)});
  if (!thread_) thread_.emplace([this](const std::stop_token& stop) { run(stop); });
  changed_.notify_all();
  return watch;
}

void ResourceWatch::remove(std::uint64_t watch) {
  const std::lock_guard lock(mutex_);
  watched_.erase(watch);
}

void ResourceWatch::run(const std::stop_token& stop) {
  const Call call{Deadline::never(), stop, {}};
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    if (!changed_.wait(lock, stop, [this] { return !watched_.empty(); })) return;
    changed_.wait_for(lock, stop, options_.interval, [] { return false; });
    lock.unlock();
    if (!stop.stop_requested()) look(call);
    lock.lock();
  }
}

void ResourceWatch::look(const Call& call) {
  std::vector<std::pair<std::uint64_t, std::string>> paths;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [watch, watched] : watched_) paths.emplace_back(watch, watched.path);
  }
  for (const auto& [watch, path] : paths) {
    auto token = token_of(call, workspace_, path);
    if (!token) continue;
    std::shared_ptr<Listener> listener;
    {
      const std::lock_guard lock(mutex_);
      const auto found = watched_.find(watch);
      if (found == watched_.end() || found->second.token == *token) continue;
      found->second.token = std::move(*token);
      listener = found->second.listener.lock();
    }
    if (listener) listener->changed(path);
  }
}

}  // namespace berth::mcp
