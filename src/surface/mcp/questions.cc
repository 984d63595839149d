#include "surface/mcp/questions.h"

#include <algorithm>
#include <array>

#include "surface/mcp/random_id.h"

namespace berth::mcp {
namespace {

constexpr std::string_view kElicit = "elicitation/create";
constexpr std::string_view kSample = "sampling/createMessage";
constexpr std::string_view kRoots = "roots/list";

bool has_string(const Json& value, const char* key) {
  const auto found = value.find(key);
  return found != value.end() && found->is_string();
}

/// A place among those who wait; given back at the end.
class Place {
 public:
  explicit Place(std::counting_semaphore<>& places) : places_(places), taken_(places.try_acquire()) {}
  ~Place() {
    if (taken_) places_.release();
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  explicit operator bool() const noexcept { return taken_; }

 private:
  std::counting_semaphore<>& places_;
  const bool taken_;
};

}  // namespace

std::string_view capability_of(const Question& question) noexcept {
  const std::string_view method = question.method;
  return method.substr(0, method.find('/'));
}

bool covers(const Json& capabilities, const Question& question) {
  if (!capabilities.is_object()) return false;
  const auto declared = capabilities.find(std::string(capability_of(question)));
  if (declared == capabilities.end() || !declared->is_object()) return false;
  return question.method != kElicit || declared->empty() || declared->contains("form");
}

bool is_answer(const Json& value, const Question& question) {
  if (!value.is_object()) return false;
  if (question.method == kElicit) {
    static constexpr std::array<std::string_view, 3> kActions = {"accept", "decline", "cancel"};
    if (!has_string(value, "action")) return false;
    const std::string_view action = value["action"].get_ref<const std::string&>();
    if (std::ranges::find(kActions, action) == kActions.end()) return false;
    const auto content = value.find("content");
    return content == value.end() || content->is_null() || content->is_object();
  }
  if (question.method == kSample) {
    const auto content = value.find("content");
    return has_string(value, "role") && content != value.end() && (content->is_object() || content->is_array());
  }
  if (question.method == kRoots) {
    const auto roots = value.find("roots");
    return roots != value.end() && roots->is_array();
  }
  return false;
}

Json input_required(const NamedQuestions& questions, const std::string& state) {
  Json requests = Json::object();
  for (const auto& [key, question] : questions) {
    Json request = {{"method", question.method}};
    request["params"] = question.params;
    requests[key] = std::move(request);
  }
  Json result = {{"resultType", "input_required"}};
  result["inputRequests"] = std::move(requests);
  if (!state.empty()) result["requestState"] = state;
  return result;
}

Result<Json> Questions::ask(const Call& call, const Question& question, Reply& way) {
  BERTH_CHECK(call.check());
  const Place place(waiting_);
  if (!place) return make_error(ErrorCode::rate_limited, "too many questions wait for their answers already");
  std::string id;
  {
    const std::lock_guard lock(mutex_);
    id = "berth-" + std::to_string(++last_);
    open_.emplace(id, std::nullopt);
  }
  way.notify(request_frame(id, question.method, question.params));
  auto response = wait_for(call, id);
  if (!response) {
    way.notify(notification_frame("notifications/cancelled",
                                  {{"requestId", id}, {"reason", "the call that asked has ended"}}));
    return std::move(response).error();
  }
  if (response->error) {
    return make_error(ErrorCode::unavailable, "the client could not answer the question")
        .with("client", decode_utf8(response->error->message).text);
  }
  if (!is_answer(response->result, question)) {
    return make_error(ErrorCode::protocol, "the client's answer has not the shape of one");
  }
  return std::move(response->result);
}

Result<Response> Questions::wait_for(const Call& call, const std::string& id) {
  std::unique_lock lock(mutex_);
  const auto is_there = [&] { return open_.at(id).has_value(); };
  const bool there = call.deadline.is_never() ? answered_.wait(lock, call.stop, is_there)
                                              : answered_.wait_until(lock, call.stop, call.deadline.when(), is_there);
  auto node = open_.extract(id);
  lock.unlock();
  if (there) return std::move(*node.mapped());
  if (call.stop.stop_requested()) BERTH_CHECK(call.check());
  return make_error(ErrorCode::timed_out, "the client did not answer in time");
}

void Questions::answer(Response response) {
  if (!response.id.is_string()) return;
  {
    const std::lock_guard lock(mutex_);
    const auto found = open_.find(response.id.get_ref<const std::string&>());
    if (found == open_.end() || found->second) return;
    found->second = std::move(response);
  }
  answered_.notify_all();
}

std::optional<std::string> RequestStates::add(std::string question) {
  auto state = random_id();
  if (!state) return std::nullopt;
  const std::lock_guard lock(mutex_);
  forget_old();
  if (states_.size() >= most_) forget_first();
  by_turn_.emplace(++turn_, *state);
  states_.emplace(*state, State{std::move(question), Clock::now(), turn_});
  return state;
}

bool RequestStates::take(const std::string& state, const std::string& question) {
  const std::lock_guard lock(mutex_);
  forget_old();
  const auto found = states_.find(state);
  if (found == states_.end() || found->second.question != question) return false;
  by_turn_.erase(found->second.turn);
  states_.erase(found);
  return true;
}

void RequestStates::forget_old() {
  const auto oldest_kept = Clock::now() - keep_;
  while (!by_turn_.empty() && states_.at(by_turn_.begin()->second).given < oldest_kept) forget_first();
}

void RequestStates::forget_first() {
  states_.erase(by_turn_.begin()->second);
  by_turn_.erase(by_turn_.begin());
}

}  // namespace berth::mcp
