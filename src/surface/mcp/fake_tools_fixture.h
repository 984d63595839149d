#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "os/wait.h"
#include "surface/mcp/conversation.h"
#include "testing/memory_backend.h"
#include "workspace/workspace.h"

/// What tests of the server put in the place of a workspace's tools, and of a client.
namespace berth::mcp {

/// Answers with its arguments.
class EchoTool final : public tools::Tool {
 public:
  EchoTool() {
    info_.name = "echo";
    info_.title = "Echo";
    info_.description = "Says what it hears.";
    info_.input_schema = {{"type", "object"}};
    info_.output_schema = {{"type", "object"}};
    info_.annotations.read_only = true;
  }

  const tools::ToolInfo& info() const noexcept override { return info_; }

  tools::ToolResult call(const Call& /*call*/, tools::ToolSession& /*session*/, const Json& arguments,
                         tools::ProgressSink* progress) const override {
    if (arguments.contains("fault")) throw std::runtime_error("secret");
    if (arguments.contains("refuse")) {
      tools::ToolResult refused;
      refused.outcome = tools::ToolResult::Outcome::retry;
      refused.text = "say something else";
      refused.structured = {{"error", {{"code", "invalid_argument"}, {"message", "no"}}}};
      return refused;
    }
    if (progress != nullptr) {
      progress->progress(1, 3, "one");
      progress->progress(1, 3, "still one");
    }
    tools::ToolResult result;
    result.text = arguments.dump();
    result.structured = {{"heard", arguments}};
    return result;
  }

 private:
  tools::ToolInfo info_;
};

/// Works until it is stopped, and tells when it began and how often it was stopped.
class EndlessTool final : public tools::Tool {
 public:
  EndlessTool() {
    info_.name = "endless";
    info_.description = "Never ends by itself.";
    info_.input_schema = {{"type", "object"}};
  }

  const tools::ToolInfo& info() const noexcept override { return info_; }

  tools::ToolResult call(const Call& call, tools::ToolSession& /*session*/, const Json& /*arguments*/,
                         tools::ProgressSink* /*progress*/) const override {
    {
      const std::lock_guard lock(mutex_);
      ++begun_;
    }
    changed_.notify_all();
    os::pause(call, std::chrono::hours(1)).has_value();
    ++stopped;
    tools::ToolResult result;
    result.outcome = tools::ToolResult::Outcome::failed;
    result.text = "stopped";
    return result;
  }

  void wait_begun(int times) const {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return begun_ >= times; });
  }

  mutable std::atomic<int> stopped{0};

 private:
  tools::ToolInfo info_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  mutable int begun_ = 0;
};

/// Keeps every frame, and lets tests wait for them.
class Frames {
 public:
  void add(const std::string& frame) {
    const std::lock_guard lock(mutex_);
    frames_.push_back(Json::parse(frame));
    changed_.notify_all();
  }
  void abandoned() {
    const std::lock_guard lock(mutex_);
    ++abandoned_;
    changed_.notify_all();
  }
  /// Wait until there are so many.
  std::vector<Json> wait(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(10), [&] { return frames_.size() >= count; });
    return frames_;
  }
  int wait_abandoned(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(10), [&] { return abandoned_ >= count; });
    return abandoned_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Json> frames_;
  int abandoned_ = 0;
};

class FramesReply final : public Reply {
 public:
  explicit FramesReply(std::shared_ptr<Frames> frames) : frames_(std::move(frames)) {}
  void notify(std::string frame) override { frames_->add(frame); }
  void answer(std::string frame, int /*error_code*/) override { frames_->add(frame); }
  void abandon() override { frames_->abandoned(); }

 private:
  std::shared_ptr<Frames> frames_;
};

class FramesOutlet final : public Outlet {
 public:
  explicit FramesOutlet(std::shared_ptr<Frames> frames) : frames_(std::move(frames)) {}
  void announce(std::string frame) override { frames_->add(frame); }

 private:
  std::shared_ptr<Frames> frames_;
};

/// A service of the two tools on a workspace in memory, and one client.
class ServiceFixture {
 public:
  explicit ServiceFixture(ServiceOptions options = quick_options(), const Extras* extras = nullptr)
      : workspace(own_backend()),
        service(workspace, {&echo, &endless}, std::move(options), extras),
        frames(std::make_shared<Frames>()),
        client(Conversation::begin(service, std::make_shared<FramesOutlet>(frames))) {}
  ~ServiceFixture() {
    client->close();
    client->wait_until_idle(Deadline::never());
  }

  static ServiceOptions quick_options() {
    ServiceOptions options;
    options.version = "1.2.3";
    options.watch.interval = std::chrono::milliseconds(5);
    options.progress_interval = std::chrono::milliseconds(0);
    return options;
  }

  void legacy(Json id, std::string method, Json params = Json::object()) {
    ask(service.legacy(), std::move(id), std::move(method), std::move(params));
  }

  void modern(Json id, std::string method, Json params = Json::object()) {
    params["_meta"][std::string(meta::kVersion)] = kModernVersion;
    if (!params["_meta"].contains(meta::kClientCapabilities)) {
      params["_meta"][std::string(meta::kClientCapabilities)] = Json::object();
    }
    ask(service.modern(), std::move(id), std::move(method), std::move(params));
  }

  void ask(const Era& era, Json id, std::string method, Json params) {
    auto key = dump(id);
    client->request({std::move(id), std::move(method), std::move(params)},
                    {era, std::move(key), std::make_shared<FramesReply>(frames)});
  }

  EchoTool echo;
  EndlessTool endless;
  testing::MemoryBackend* backend = nullptr;
  Workspace workspace;
  Service service;
  std::shared_ptr<Frames> frames;
  std::shared_ptr<Conversation> client;

 private:
  std::unique_ptr<Backend> own_backend() {
    auto owned = std::make_unique<testing::MemoryBackend>();
    backend = owned.get();
    backend->file("a.txt", "alpha").file("dir/b.bin", std::string("\0\x01", 2));
    return owned;
  }
};

}  // namespace berth::mcp
