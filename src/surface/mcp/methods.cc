#include "surface/mcp/methods.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "surface/mcp/protocol/content.h"
#include "surface/mcp/protocol/cursor.h"
#include "surface/mcp/resources.h"

namespace berth::mcp {
namespace {

RpcError invalid(std::string message) { return {rpc::kInvalidParams, std::move(message), {}}; }

// Null when it is missing or no string.
const std::string* string_in(const Json& params, std::string_view key) {
  const auto found = params.find(key);
  return found != params.end() && found->is_string() ? &found->get_ref<const std::string&>() : nullptr;
}

Answer initialize(Work& work) {
  const auto& params = work.request.params;
  const auto* offered = string_in(params, "protocolVersion");
  if (offered == nullptr) return invalid("`protocolVersion` must be a string");
  const auto version = negotiated_version(*offered);
  const auto declared = params.find("capabilities");
  auto capabilities = declared != params.end() && declared->is_object() ? *declared : Json::object();
  if (!work.conversation.open(version, std::move(capabilities))) {
    return RpcError{rpc::kInvalidRequest, "the conversation is open already", {}};
  }
  auto& service = work.conversation.service();
  Json result = {{"protocolVersion", version}};
  result["capabilities"] = service.capabilities();
  result["serverInfo"] = service.server_info();
  if (!service.options().instructions.empty()) result["instructions"] = service.options().instructions;
  return Done{std::move(result)};
}

Answer discover(Work& work) {
  auto& service = work.conversation.service();
  Json result = {{"supportedVersions", Json::array({kModernVersion})}};
  result["capabilities"] = service.capabilities();
  if (!service.options().instructions.empty()) result["instructions"] = service.options().instructions;
  return Done{std::move(result), Caching::allowed};
}

Answer set_level(Work& work) {
  const auto* name = string_in(work.request.params, "level");
  const auto level = name != nullptr ? log_level_named(*name) : std::nullopt;
  if (!level) {
    return invalid("`level` must be debug, info, notice, warning, error, critical, alert or emergency");
  }
  work.conversation.set_level(*level);
  return Done{Json::object()};
}

// One page of a list that is in memory.
Answer page_of(Work& work, std::string_view key, const Json& entries) {
  std::size_t start = 0;
  const auto& params = work.request.params;
  if (const auto cursor = params.find("cursor"); cursor != params.end()) {
    const auto position =
        cursor->is_string() ? decode_cursor(key, cursor->get_ref<const std::string&>()) : std::nullopt;
    if (!position) return invalid("`cursor` is none that this list gave out");
    const auto* end = position->data() + position->size();
    const auto [rest, fault] = std::from_chars(position->data(), end, start);
    if (fault != std::errc() || rest != end || start == 0 || start >= entries.size()) {
      return invalid("`cursor` is none that this list gave out");
    }
  }
  const auto end = std::min(entries.size(), start + work.conversation.service().options().page_entries);
  Json page = Json::array();
  for (std::size_t i = start; i < end; ++i) page.push_back(entries[i]);
  Json result;
  result[std::string(key)] = std::move(page);
  if (end < entries.size()) result["nextCursor"] = encode_cursor(key, std::to_string(end));
  return Done{std::move(result), Caching::allowed};
}

Answer list_prompts(Work& work) {
  Json prompts = Json::array();
  if (const auto* extras = work.conversation.service().extras()) extras->list_prompts(prompts);
  return page_of(work, "prompts", prompts);
}

class CallProgress final : public tools::ProgressSink {
 public:
  explicit CallProgress(Work& work) : work_(work) {}

  void progress(double done, double total, std::string_view message) override {
    const auto now = Clock::now();
    if (last_ && now - *last_ < work_.conversation.service().options().progress_interval) return;
    last_ = now;
    work_.progress(done, total, message);
  }

 private:
  Work& work_;
  std::optional<Clock::time_point> last_;
};

Answer call_tool(Work& work) {
  const auto& params = work.request.params;
  const auto* name = string_in(params, "name");
  if (name == nullptr) return invalid("`name` must be a string");
  static const Json kNone = Json::object();
  const auto given = params.find("arguments");
  const Json& arguments = given != params.end() ? *given : kNone;
  if (!arguments.is_object()) return invalid("`arguments` must be an object");

  auto& service = work.conversation.service();
  const auto* tool = service.find_tool(*name);
  if (tool == nullptr) {
    if (service.extras() != nullptr) {
      if (auto answer = service.extras()->call_tool(work, *name, arguments)) return std::move(*answer);
    }
    return RpcError{rpc::kInvalidParams, fmt::format("there is no tool `{}`", *name), {{"name", *name}}};
  }
  CallProgress progress(work);
  const auto started = Clock::now();
  auto result = tool->call(work.call, work.conversation.tools(), arguments,
                           work.meta.progress_token.is_null() ? nullptr : &progress);
  if (work.instead) return Later{};
  const auto outcome = result.outcome;
  const auto level = outcome == tools::ToolResult::Outcome::success ? LogLevel::debug
                     : outcome == tools::ToolResult::Outcome::retry ? LogLevel::info
                                                                    : LogLevel::warning;
  if (work.wants(level)) {
    work.log(level, {{"tool", *name},
                     {"outcome", outcome == tools::ToolResult::Outcome::success ? "success"
                                 : outcome == tools::ToolResult::Outcome::retry ? "retry"
                                                                                : "failed"},
                     {"duration_ms", std::chrono::duration<double, std::milli>(Clock::now() - started).count()}});
  }
  return Done{call_result(std::move(result))};
}

Answer get_prompt(Work& work) {
  const auto& params = work.request.params;
  const auto* name = string_in(params, "name");
  if (name == nullptr) return invalid("`name` must be a string");
  const auto given = params.find("arguments");
  if (const auto* extras = work.conversation.service().extras()) {
    const Json arguments = given != params.end() ? *given : Json::object();
    if (auto answer = extras->get_prompt(work, *name, arguments)) return std::move(*answer);
  }
  return invalid(fmt::format("there is no prompt `{}`", *name));
}

Answer listen(Work& work) {
  const auto& params = work.request.params;
  const auto filter = params.find("notifications");
  if (filter == params.end() || !filter->is_object()) return invalid("`notifications` must be an object");
  Conversation::Listening::Wanted wanted;
  auto& service = work.conversation.service();
  const auto asked = [&](std::string_view key) { return filter->value(std::string(key), Json()) == true; };
  if (service.extras() != nullptr) {
    wanted.tools = asked("toolsListChanged");
    wanted.prompts = asked("promptsListChanged");
  }
  if (const auto uris = filter->find("resourceSubscriptions"); uris != filter->end()) {
    if (!uris->is_array()) return invalid("`resourceSubscriptions` must be an array of URIs");
    if (uris->size() > service.options().max_subscriptions) return invalid("`resourceSubscriptions` are too many");
    std::set<std::string> seen;
    for (const auto& uri : *uris) {
      if (!uri.is_string()) return invalid("`resourceSubscriptions` must be an array of URIs");
      const auto& text = uri.get_ref<const std::string&>();
      // What cannot be watched is left out of the acknowledgement: it was not granted.
      if (const auto path = watchable_path(work, text); path && seen.insert(text).second) {
        wanted.resources.emplace_back(text, *path);
      }
    }
  }
  auto listening = std::make_shared<Conversation::Listening>(work.request.id, work.reply, std::move(wanted));
  if (auto begun = work.conversation.listen(work.call, work.key, std::move(listening)); !begun) {
    return invalid(to_string(begun.error()));
  }
  return Later{};
}

Answer complete(Work& work) {
  const auto& params = work.request.params;
  const auto reference = params.find("ref");
  const auto argument = params.find("argument");
  if (reference == params.end() || !reference->is_object() || string_in(*reference, "type") == nullptr) {
    return invalid("`ref` must be an object with the string `type`");
  }
  if (argument == params.end() || !argument->is_object() || string_in(*argument, "name") == nullptr ||
      string_in(*argument, "value") == nullptr) {
    return invalid("`argument` must be an object with the strings `name` and `value`");
  }
  if (const auto* extras = work.conversation.service().extras()) {
    if (auto answer = extras->complete(*reference, *argument)) return std::move(*answer);
  }
  return complete_path(work, *reference, *argument);
}

}  // namespace

bool answers_at_once(Method method) noexcept {
  switch (method) {
    case Method::initialize:
    case Method::ping:
    case Method::set_level:
    case Method::discover:
    case Method::list_tools:
    case Method::list_templates:
    case Method::list_prompts:
    case Method::unsubscribe: return true;
    default: return false;
  }
}

Answer answer_request(Work& work, Method method) {
  switch (method) {
    case Method::initialize: return initialize(work);
    case Method::ping: return Done{Json::object()};
    case Method::set_level: return set_level(work);
    case Method::discover: return discover(work);
    case Method::list_tools: return page_of(work, "tools", work.conversation.service().tool_entries());
    case Method::call_tool: return call_tool(work);
    case Method::list_resources: return list_resources(work);
    case Method::list_templates:
      return page_of(work, "resourceTemplates", resource_templates(work.conversation.service()));
    case Method::read_resource: return read_resource(work);
    case Method::subscribe: return subscribe(work);
    case Method::unsubscribe: return unsubscribe(work);
    case Method::listen: return listen(work);
    case Method::list_prompts: return list_prompts(work);
    case Method::get_prompt: return get_prompt(work);
    case Method::complete: return complete(work);
  }
  return RpcError{rpc::kMethodNotFound, "there is no such method", {}};
}

}  // namespace berth::mcp
