#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "base/call.h"
#include "surface/mcp/client_approver.h"
#include "surface/mcp/protocol/json_rpc.h"
#include "surface/mcp/questions.h"
#include "surface/mcp/reply.h"
#include "surface/mcp/service.h"

namespace berth::mcp {

/// One client's dealings with the server: what it has read, what is at work for it, what it wants to hear. Requests run
/// side by side on the service's threads. Safe from many threads; held by shared_ptr, because calls at work hold it.
class Conversation : public std::enable_shared_from_this<Conversation>, public ResourceWatch::Listener {
 public:
  /// `outlet` takes the notifications that belong to no request; null: there is no way for them.
  static std::shared_ptr<Conversation> begin(Service& service, std::shared_ptr<Outlet> outlet);

  /// How a request came in.
  struct Incoming {
    const Era& era;
    std::string key;  ///< what it is cancelled by; no two at work share one
    std::shared_ptr<Reply> reply;
    /// Does what takes a while, now or on another thread. False: it will not be done. None: the service's threads.
    std::function<bool(std::function<void()>)> run;
  };

  /// Answer a request, at once or from another thread. One whose key is at work already is refused.
  void request(Request request, Incoming incoming);
  void notification(const Notification& notification);
  /// An answer to a question of ours.
  void response(Response response) { questions_.answer(std::move(response)); }
  /// Stop a request: its command is ended, its reply abandoned. Unknown keys are fine.
  void cancel(const std::string& key);

  /// End `subscriptions/listen` requests, with their closing answer.
  void end_listening();
  /// Stop everything; what is still at work has its reply abandoned. New requests are refused.
  void close();
  /// Wait until nothing is at work. False: the deadline came first.
  bool wait_until_idle(const Deadline& deadline);
  std::size_t at_work();

  Service& service() noexcept { return service_; }
  tools::ToolSession& tools() noexcept { return tools_; }

  // For the methods.
  std::optional<std::string> version();
  /// False: the conversation was opened before.
  bool open(std::string_view version, Json client_capabilities);
  /// What the client said when it opened the conversation.
  Json client_capabilities();
  Questions& questions() noexcept { return questions_; }
  /// The request at work of that key, for the thread that works on it; null when there is none.
  Work* work_of(const std::string& key);
  void set_level(LogLevel level);
  std::optional<LogLevel> level();
  Result<void> subscribe(const Call& call, const std::string& uri, const std::string& path);
  void unsubscribe(const std::string& uri);
  /// Keep a request open: `listener` hears of its files until it is cancelled or `end_listening`.
  class Listening;
  Result<void> listen(const Call& call, const std::string& key, std::shared_ptr<Listening> listening);
  /// Tell every listener, and a legacy client, that a list changed: "tools" or "prompts".
  void list_changed(std::string_view list);

  void changed(const std::string& path) override;

 private:
  Conversation(Service& service, std::shared_ptr<Outlet> outlet);

  struct Running {
    std::stop_source stop;
    std::atomic<bool> cancelled{false};
    std::shared_ptr<Reply> reply;
    std::shared_ptr<Listening> listening;  ///< once its answer was put off
    Work* work = nullptr;                  ///< while a thread works on it
  };

  void work(const Request& request, const Incoming& incoming, RequestMeta meta, Method method,
            const std::shared_ptr<Running>& running);
  void stop_listening(const std::shared_ptr<Listening>& listening);

  Service& service_;
  const std::shared_ptr<Outlet> outlet_;
  Questions questions_;
  ClientApprover approver_;
  tools::ToolSession tools_;
  std::mutex mutex_;
  std::condition_variable idle_;
  bool closed_ = false;
  std::map<std::string, std::shared_ptr<Running>> running_;
  std::string version_;  ///< empty: not opened
  Json client_capabilities_ = Json::object();
  std::optional<LogLevel> level_;
  std::map<std::string, std::uint64_t> subscriptions_;  ///< URI → watch
};

/// A `subscriptions/listen` request.
class Conversation::Listening : public ResourceWatch::Listener {
 public:
  struct Wanted {
    std::vector<std::pair<std::string, std::string>> resources;  ///< URI and path
    bool tools = false;
    bool prompts = false;
  };

  Listening(Json id, std::shared_ptr<Reply> reply, Wanted wanted)
      : id_(std::move(id)), reply_(std::move(reply)), wanted_(std::move(wanted)) {}

  const Wanted& wanted() const noexcept { return wanted_; }
  /// The `_meta` of every frame.
  Json meta() const;
  void acknowledge();
  void list_changed(std::string_view list);
  void changed(const std::string& path) override;
  /// The closing answer.
  void end(const Era& era, const Json& server_info);
  void abandon() { reply_->abandon(); }

  std::vector<std::uint64_t> watches;  ///< guarded by the conversation

 private:
  const Json id_;
  const std::shared_ptr<Reply> reply_;
  const Wanted wanted_;
};

/// A request at work, as the methods see it.
struct Work {
  Conversation& conversation;
  const Request& request;
  const Era& era;
  const RequestMeta meta;
  const std::string key;
  const std::shared_ptr<Reply> reply;
  const Call call;
  std::optional<double> last_progress;
  std::optional<Answer> instead;  ///< what the request is answered with, whatever its work says

  /// Whether the client said that it answers such a question.
  bool can_ask(const Question& question) const;
  /// Put questions to the client: the answers, in their order, or what the request is to be answered with instead. That
  /// is an error, or, in the newer era, the questions and `state`, which come back with the answers.
  std::variant<std::vector<Json>, Answer> ask(const NamedQuestions& questions, const std::string& state = {});
  /// What the client answered to the question of that name, when it made the request again; null when it did not.
  const Json* input_response(const std::string& name) const;
  /// The state that came back with the answers; null without one.
  const std::string* request_state() const;

  /// Send a log message, if the client wants this level.
  void log(LogLevel level, Json data);
  bool wants(LogLevel level);
  /// Send progress, if the client wants it and `done` grew; a `total` of 0 is not known.
  void progress(double done, double total, std::string_view message);
};

}  // namespace berth::mcp
