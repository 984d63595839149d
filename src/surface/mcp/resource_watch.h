#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "base/result.h"
#include "workspace/workspace.h"

namespace berth::mcp {

/// Tells when files change, appear or vanish, by looking at their change tokens now and then: that works in every
/// environment. A file that changes several times between two looks is told of once. Safe from many threads.
class ResourceWatch {
 public:
  /// Hears of changes, from the thread of the watch.
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void changed(const std::string& path) = 0;
  };

  struct Options {
    std::chrono::milliseconds interval{500};
    std::size_t max_files = 4096;  ///< over all listeners
  };

  /// The workspace must outlive the watch.
  ResourceWatch(Workspace& workspace, Options options);
  ~ResourceWatch();
  ResourceWatch(const ResourceWatch&) = delete;
  ResourceWatch& operator=(const ResourceWatch&) = delete;

  /// Watch a path, which may be missing. A path the workspace refuses (it leads outside) is that error; more than
  /// `max_files` watches are `rate_limited`. A listener that is gone hears nothing.
  Result<std::uint64_t> add(const Call& call, std::string path, std::weak_ptr<Listener> listener);
  /// A change that was seen just now may still be told of.
  void remove(std::uint64_t watch);

 private:
  struct Watched {
    std::string path;
    std::string token;  ///< empty: nothing stands there
    std::weak_ptr<Listener> listener;
  };

  void run(const std::stop_token& stop);
  void look(const Call& call);

  Workspace& workspace_;
  const Options options_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, Watched> watched_;
  std::optional<std::jthread> thread_;  ///< since the first watch
};

}  // namespace berth::mcp
