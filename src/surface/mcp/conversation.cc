#include "surface/mcp/conversation.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "surface/mcp/methods.h"
#include "surface/mcp/protocol/resource_uri.h"

namespace berth::mcp {
namespace {

RpcError invalid_request(std::string message) { return {rpc::kInvalidRequest, std::move(message), {}}; }

std::string updated_frame(const std::string& uri, Json meta) {
  Json params;
  if (!meta.is_null()) params["_meta"] = std::move(meta);
  params["uri"] = uri;
  return notification_frame("notifications/resources/updated", params);
}

std::string list_changed_frame(std::string_view list, Json meta) {
  Json params = Json::object();
  if (!meta.is_null()) params["_meta"] = std::move(meta);
  return notification_frame(std::string("notifications/").append(list).append("/list_changed"), params);
}

}  // namespace

namespace {

tools::ToolOptions with_approver(tools::ToolOptions options, Approver& approver) {
  if (options.approver == nullptr) options.approver = &approver;
  return options;
}

}  // namespace

std::shared_ptr<Conversation> Conversation::begin(Service& service, std::shared_ptr<Outlet> outlet) {
  return std::shared_ptr<Conversation>(new Conversation(service, std::move(outlet)));
}

Conversation::Conversation(Service& service, std::shared_ptr<Outlet> outlet)
    : service_(service),
      outlet_(std::move(outlet)),
      questions_(service.waiting_questions()),
      approver_(*this),
      tools_(service.workspace(), with_approver(service.options().tools, approver_)),
      level_(service.options().default_level) {}

void Conversation::request(Request request, Incoming incoming) {
  const auto refuse = [&](const RpcError& error) {
    incoming.reply->answer(error_frame(request.id, error), error.code);
  };
  auto admitted = incoming.era.admit(request.params);
  if (const auto* error = std::get_if<RpcError>(&admitted)) return refuse(*error);
  const auto method = incoming.era.method(request.method);
  if (!method) return refuse({rpc::kMethodNotFound, "there is no such method", {{"method", request.method}}});

  auto running = std::make_shared<Running>();
  running->reply = incoming.reply;
  {
    std::unique_lock lock(mutex_);
    const bool added = !closed_ && running_.emplace(incoming.key, running).second;
    const bool closed = closed_;
    lock.unlock();
    if (closed) return refuse(invalid_request("the conversation has ended"));
    if (!added) return refuse(invalid_request("a request with this id is still at work"));
  }
  auto& meta = std::get<RequestMeta>(admitted);
  if (answers_at_once(*method)) return work(request, incoming, std::move(meta), *method, running);

  const auto id = request.id;
  const auto reply = incoming.reply;
  const auto key = incoming.key;
  const auto run = std::move(incoming.run);
  std::function<void()> later = [self = shared_from_this(), request = std::move(request),
                                 incoming = std::move(incoming), meta = std::move(meta), method = *method,
                                 running] { self->work(request, incoming, meta, method, running); };
  const bool posted = run ? run(std::move(later)) : service_.workers().post(std::move(later));
  if (posted) return;
  {
    const std::lock_guard lock(mutex_);
    running_.erase(key);
  }
  idle_.notify_all();
  const RpcError overloaded{rpc::kOverloaded, "too many requests are waiting; ask again later", {}};
  reply->answer(error_frame(id, overloaded), overloaded.code);
}

void Conversation::work(const Request& request, const Incoming& incoming, RequestMeta meta, Method method,
                        const std::shared_ptr<Running>& running) {
  Work at_work{*this,
               request,
               incoming.era,
               std::move(meta),
               incoming.key,
               incoming.reply,
               {Deadline::never(), running->stop.get_token(), incoming.key},
               {},
               {}};
  {
    const std::lock_guard lock(mutex_);
    running->work = &at_work;
  }
  Answer answer = Later{};
  if (!running->cancelled) {
    try {
      answer = answer_request(at_work, method);
    } catch (const std::exception&) {
      answer = RpcError{rpc::kInternalError, "the server failed while it worked on this request", {}};
    }
  }
  if (at_work.instead) answer = std::move(*at_work.instead);
  {
    const std::lock_guard lock(mutex_);
    running->work = nullptr;
    // From here on it ends with `cancel` or `end_listening`.
    if (running->listening) return;
    if (const auto found = running_.find(incoming.key); found != running_.end() && found->second == running) {
      running_.erase(found);
    }
  }
  if (running->cancelled || std::holds_alternative<Later>(answer)) {
    incoming.reply->abandon();
  } else if (auto* error = std::get_if<RpcError>(&answer)) {
    incoming.reply->answer(error_frame(request.id, *error), error->code);
  } else {
    auto& done = std::get<Done>(answer);
    incoming.era.finish(done.result, service_.server_info(), done.caching);
    incoming.reply->answer(result_frame(request.id, done.result), 0);
  }
  idle_.notify_all();
}

void Conversation::notification(const Notification& notification) {
  if (notification.method != "notifications/cancelled") return;
  const auto id = notification.params.find("requestId");
  if (id == notification.params.end() || (!id->is_string() && !id->is_number_integer())) return;
  cancel(dump(*id));
}

void Conversation::cancel(const std::string& key) {
  std::shared_ptr<Running> running;
  {
    const std::lock_guard lock(mutex_);
    const auto found = running_.find(key);
    if (found == running_.end()) return;
    running = found->second;
    running->cancelled = true;
    if (running->listening) running_.erase(found);
  }
  running->stop.request_stop();
  if (running->listening) {
    stop_listening(running->listening);
    running->listening->abandon();
    idle_.notify_all();
  }
}

void Conversation::stop_listening(const std::shared_ptr<Listening>& listening) {
  std::vector<std::uint64_t> watches;
  {
    const std::lock_guard lock(mutex_);
    watches.swap(listening->watches);
  }
  for (const auto watch : watches) service_.watch().remove(watch);
}

void Conversation::end_listening() {
  std::vector<std::shared_ptr<Listening>> ended;
  {
    const std::lock_guard lock(mutex_);
    for (auto at = running_.begin(); at != running_.end();) {
      if (!at->second->listening) {
        ++at;
        continue;
      }
      ended.push_back(at->second->listening);
      at = running_.erase(at);
    }
  }
  for (const auto& listening : ended) {
    stop_listening(listening);
    listening->end(service_.modern(), service_.server_info());
  }
  idle_.notify_all();
}

void Conversation::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  // Closed first: a request that began to listen in between would never end.
  end_listening();
  std::vector<std::shared_ptr<Running>> running;
  std::map<std::string, std::uint64_t> subscriptions;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, one] : running_) running.push_back(one);
    subscriptions.swap(subscriptions_);
  }
  for (const auto& [uri, watch] : subscriptions) service_.watch().remove(watch);
  for (const auto& one : running) {
    one->cancelled = true;
    one->stop.request_stop();
  }
}

bool Conversation::wait_until_idle(const Deadline& deadline) {
  std::unique_lock lock(mutex_);
  const auto idle = [this] { return running_.empty(); };
  if (deadline.is_never()) {
    idle_.wait(lock, idle);
    return true;
  }
  return idle_.wait_until(lock, deadline.when(), idle);
}

std::size_t Conversation::at_work() {
  const std::lock_guard lock(mutex_);
  return running_.size();
}

std::optional<std::string> Conversation::version() {
  const std::lock_guard lock(mutex_);
  if (version_.empty()) return std::nullopt;
  return version_;
}

bool Conversation::open(std::string_view version, Json client_capabilities) {
  const std::lock_guard lock(mutex_);
  if (!version_.empty()) return false;
  version_ = version;
  client_capabilities_ = std::move(client_capabilities);
  return true;
}

Json Conversation::client_capabilities() {
  const std::lock_guard lock(mutex_);
  return client_capabilities_;
}

Work* Conversation::work_of(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = running_.find(key);
  return found == running_.end() ? nullptr : found->second->work;
}

void Conversation::set_level(LogLevel level) {
  const std::lock_guard lock(mutex_);
  level_ = level;
}

std::optional<LogLevel> Conversation::level() {
  const std::lock_guard lock(mutex_);
  return level_;
}

Result<void> Conversation::subscribe(const Call& call, const std::string& uri, const std::string& path) {
  {
    const std::lock_guard lock(mutex_);
    if (subscriptions_.contains(uri)) return {};
    if (subscriptions_.size() >= service_.options().max_subscriptions) {
      return make_error(ErrorCode::rate_limited, "this conversation watches as many resources as it may");
    }
  }
  BERTH_TRY(const auto watch, service_.watch().add(call, path, weak_from_this()));
  const std::lock_guard lock(mutex_);
  // Another request may have been faster, or the end.
  if (closed_ || !subscriptions_.emplace(uri, watch).second) service_.watch().remove(watch);
  return {};
}

void Conversation::unsubscribe(const std::string& uri) {
  std::uint64_t watch = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto found = subscriptions_.find(uri);
    if (found == subscriptions_.end()) return;
    watch = found->second;
    subscriptions_.erase(found);
  }
  service_.watch().remove(watch);
}

Result<void> Conversation::listen(const Call& call, const std::string& key, std::shared_ptr<Listening> listening) {
  std::vector<std::uint64_t> watches;
  for (const auto& [uri, path] : listening->wanted().resources) {
    auto watch = service_.watch().add(call, path, listening);
    if (!watch) {
      for (const auto one : watches) service_.watch().remove(one);
      return std::move(watch).error();
    }
    watches.push_back(*watch);
  }
  // Before it can be cancelled: the acknowledgement is the first frame.
  listening->acknowledge();
  bool gone = true;
  {
    const std::lock_guard lock(mutex_);
    const auto found = running_.find(key);
    if (!closed_ && found != running_.end() && !found->second->cancelled) {
      listening->watches = watches;
      found->second->listening = std::move(listening);
      gone = false;
    }
  }
  if (gone) {
    for (const auto one : watches) service_.watch().remove(one);
  }
  return {};
}

void Conversation::list_changed(std::string_view list) {
  std::vector<std::shared_ptr<Listening>> listening;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, running] : running_) {
      if (running->listening) listening.push_back(running->listening);
    }
  }
  for (const auto& one : listening) one->list_changed(list);
  if (version() && outlet_) outlet_->announce(list_changed_frame(list, {}));
}

void Conversation::changed(const std::string& path) {
  std::vector<std::string> uris;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [uri, watch] : subscriptions_) {
      if (path_of_uri(uri) == path) uris.push_back(uri);
    }
  }
  if (!outlet_) return;
  for (const auto& uri : uris) outlet_->announce(updated_frame(uri, {}));
}

Json Conversation::Listening::meta() const { return {{std::string(meta::kSubscription), id_}}; }

void Conversation::Listening::acknowledge() {
  Json granted = Json::object();
  if (wanted_.tools) granted["toolsListChanged"] = true;
  if (wanted_.prompts) granted["promptsListChanged"] = true;
  if (!wanted_.resources.empty()) {
    Json uris = Json::array();
    for (const auto& [uri, path] : wanted_.resources) uris.push_back(uri);
    granted["resourceSubscriptions"] = std::move(uris);
  }
  Json params = {{"_meta", meta()}};
  params["notifications"] = std::move(granted);
  reply_->notify(notification_frame("notifications/subscriptions/acknowledged", params));
}

void Conversation::Listening::list_changed(std::string_view list) {
  if (list == "tools" ? wanted_.tools : wanted_.prompts) reply_->notify(list_changed_frame(list, meta()));
}

void Conversation::Listening::changed(const std::string& path) {
  for (const auto& [uri, watched] : wanted_.resources) {
    if (watched == path) reply_->notify(updated_frame(uri, meta()));
  }
}

void Conversation::Listening::end(const Era& era, const Json& server_info) {
  Json result = {{"_meta", meta()}};
  era.finish(result, server_info, Caching::none);
  reply_->answer(result_frame(id_, result), 0);
}

bool Work::can_ask(const Question& question) const {
  return covers(era.asks_by_requests() ? conversation.client_capabilities() : meta.client_capabilities, question);
}

const Json* Work::input_response(const std::string& name) const {
  const auto responses = request.params.find("inputResponses");
  if (responses == request.params.end() || !responses->is_object()) return nullptr;
  const auto found = responses->find(name);
  return found == responses->end() ? nullptr : &*found;
}

const std::string* Work::request_state() const {
  const auto state = request.params.find("requestState");
  return state != request.params.end() && state->is_string() ? &state->get_ref<const std::string&>() : nullptr;
}

std::variant<std::vector<Json>, Answer> Work::ask(const NamedQuestions& questions, const std::string& state) {
  for (const auto& [name, question] : questions) {
    if (can_ask(question)) continue;
    const std::string capability(capability_of(question));
    return Answer(RpcError{rpc::kMissingCapability,
                           "this needs the client's capability `" + capability + "`",
                           {{"requiredCapabilities", {{capability, Json::object()}}}}});
  }
  std::vector<Json> answers;
  if (era.asks_by_requests()) {
    for (const auto& [name, question] : questions) {
      const auto within = conversation.service().options().answer_within;
      auto answer = conversation.questions().ask(call.until(Deadline::after(within)), question, *reply);
      if (!answer) return Answer(RpcError{rpc::kInternalError, to_string(answer.error()), {}});
      answers.push_back(std::move(*answer));
    }
    return answers;
  }
  if (const auto given = request.params.find("inputResponses"); given != request.params.end() && !given->is_object()) {
    return Answer(RpcError{rpc::kInvalidParams, "`inputResponses` must be an object", {}});
  }
  for (const auto& [name, question] : questions) {
    const auto* answer = input_response(name);
    if (answer == nullptr || !is_answer(*answer, question)) return Answer(Done{input_required(questions, state)});
    answers.push_back(*answer);
  }
  return answers;
}

void Work::log(LogLevel level, Json data) {
  if (!wants(level)) return;
  Json params = {{"level", log_level_name(level)}, {"logger", "berth"}};
  params["data"] = std::move(data);
  reply->notify(notification_frame("notifications/message", params));
}

bool Work::wants(LogLevel level) {
  const auto wanted = era.level_of_conversation() ? conversation.level() : meta.log_level;
  return wanted && level >= *wanted;
}

void Work::progress(double done, double total, std::string_view message) {
  if (meta.progress_token.is_null() || (last_progress && done <= *last_progress)) return;
  last_progress = done;
  Json params = {{"progressToken", meta.progress_token}, {"progress", done}};
  if (total > 0) params["total"] = total;
  if (!message.empty()) params["message"] = message;
  reply->notify(notification_frame("notifications/progress", params));
}

}  // namespace berth::mcp
