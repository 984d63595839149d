#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <semaphore>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "surface/mcp/protocol/era.h"
#include "surface/mcp/questions.h"
#include "surface/mcp/resource_watch.h"
#include "surface/mcp/worker_pool.h"
#include "tools/tool.h"
#include "tools/tool_session.h"

namespace berth::mcp {

struct Work;

/// A request's result.
struct Done {
  Json result;
  Caching caching = Caching::none;
};

/// The answer comes later, from somewhere else, or never.
struct Later {};

using Answer = std::variant<Done, RpcError, Later>;

/// More tools, prompts and resources than those of the workspace. Made for the fixtures that conformance suites call.
/// Safe from many threads.
class Extras {
 public:
  virtual ~Extras() = default;

  /// Append to the lists.
  virtual void list_tools(Json& tools) const = 0;
  virtual void list_prompts(Json& prompts) const = 0;
  virtual void list_resources(Json& resources) const = 0;
  virtual void list_templates(Json& templates) const = 0;

  // Nothing when the name is not one of these.
  virtual std::optional<Answer> call_tool(Work& work, std::string_view name, const Json& arguments) const = 0;
  virtual std::optional<Answer> get_prompt(Work& work, std::string_view name, const Json& arguments) const = 0;
  virtual std::optional<Answer> read_resource(Work& work, std::string_view uri) const = 0;
  virtual bool has_resource(std::string_view uri) const = 0;
  virtual std::optional<Answer> complete(const Json& reference, const Json& argument) const = 0;
};

struct ServiceOptions {
  std::string version;       ///< of the program
  std::string instructions;  ///< for models; empty: none
  tools::ToolOptions tools;
  /// Of log messages, for clients of the older era that have not said what they want; nothing: none.
  std::optional<LogLevel> default_level;
  WorkerPool::Bounds workers;
  ResourceWatch::Options watch;
  std::size_t page_entries = 200;                      ///< of one page of a list
  std::int64_t max_resource_bytes = 16 * 1024 * 1024;  ///< of one resource that is read
  std::size_t max_subscriptions = 256;                 ///< of one conversation
  std::chrono::milliseconds progress_interval{25};     ///< at least, between two of one call
  std::chrono::milliseconds answer_within{600'000};    ///< how long a client may take to answer a question
  std::ptrdiff_t max_waiting_questions = 32;           ///< over all clients: each holds a worker while it waits
  std::size_t max_request_states = 1024;               ///< given out and not used yet
};

/// What a server offers, whoever asks: one workspace, its tools, and the threads that do the work. Safe from many
/// threads. Everything given must outlive it.
class Service {
 public:
  /// `extras` may be null.
  Service(Workspace& workspace, std::vector<const tools::Tool*> offered, ServiceOptions options, const Extras* extras);

  Workspace& workspace() noexcept { return workspace_; }
  const ServiceOptions& options() const noexcept { return options_; }
  const Extras* extras() const noexcept { return extras_; }
  const LegacyEra& legacy() const noexcept { return legacy_; }
  const ModernEra& modern() const noexcept { return modern_; }

  /// Null when there is none of that name.
  const tools::Tool* find_tool(std::string_view name) const noexcept;
  /// The entries of `tools/list`, in their stable order.
  const Json& tool_entries() const noexcept { return tool_entries_; }
  const Json& server_info() const noexcept { return server_info_; }
  /// What is declared; the same in both eras.
  const Json& capabilities() const noexcept { return capabilities_; }
  bool offers_resources() const noexcept { return offers_resources_; }

  /// Places for questions that wait for an answer.
  std::counting_semaphore<>& waiting_questions() noexcept { return waiting_questions_; }
  RequestStates& states() noexcept { return states_; }
  WorkerPool& workers() noexcept { return workers_; }
  ResourceWatch& watch() noexcept { return watch_; }

 private:
  Workspace& workspace_;
  std::vector<const tools::Tool*> tools_;
  ServiceOptions options_;
  const Extras* extras_;
  LegacyEra legacy_;
  ModernEra modern_;
  bool offers_resources_;
  Json tool_entries_ = Json::array();
  Json server_info_;
  Json capabilities_;
  std::counting_semaphore<> waiting_questions_;
  RequestStates states_;
  ResourceWatch watch_;
  WorkerPool workers_;  ///< last: it waits for work that uses the rest
};

}  // namespace berth::mcp
