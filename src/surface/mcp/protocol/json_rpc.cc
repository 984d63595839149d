#include "surface/mcp/protocol/json_rpc.h"

#include <array>
#include <utility>

namespace berth::mcp {
namespace {

// Objects keep their keys in a list that is searched from the front, and values are printed by recursion: so both are
// bounded before anything is built.
std::optional<std::string> over_limits(BytesView frame) {
  std::array<int, FrameLimits::kMaxDepth + 1> keys{};
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < frame.size(); ++i) {
    const char c = frame[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
      continue;
    }
    switch (c) {
      case '"': in_string = true; break;
      case '{':
      case '[':
        if (++depth > FrameLimits::kMaxDepth) return "the message nests deeper than 100 levels";
        keys[static_cast<std::size_t>(depth)] = 0;
        break;
      case '}':
      case ']':
        if (depth > 0) --depth;
        break;
      case ':':
        if (++keys[static_cast<std::size_t>(depth)] > FrameLimits::kMaxKeys) {
          return "an object of the message has more than 1000 keys";
        }
        break;
      default: break;
    }
  }
  return std::nullopt;
}

bool is_id(const Json& value) { return value.is_string() || value.is_number_integer(); }

Malformed refuse(Json id, int code, std::string message) { return {std::move(id), {code, std::move(message), {}}}; }

Message response_of(Json& message, Json id) {
  Response response{std::move(id), {}, {}};
  if (const auto result = message.find("result"); result != message.end()) {
    response.result = std::move(*result);
    return response;
  }
  const auto& error = message["error"];
  RpcError parsed{rpc::kInternalError, "the client gave no reason", {}};
  if (error.is_object()) {
    if (const auto code = error.find("code"); code != error.end() && code->is_number_integer()) {
      parsed.code = code->get<int>();
    }
    if (const auto text = error.find("message"); text != error.end() && text->is_string()) {
      parsed.message = text->get<std::string>();
    }
  }
  response.error = std::move(parsed);
  return response;
}

std::string frame_start(const Json& id) {
  std::string frame = R"({"jsonrpc":"2.0")";
  if (!id.is_null()) frame.append(R"(,"id":)").append(dump(id));
  return frame;
}

}  // namespace

Message parse_frame(BytesView frame) {
  if (auto why = over_limits(frame)) return refuse({}, rpc::kParseError, std::move(*why));
  Json message = Json::parse(frame, nullptr, false);
  if (message.is_discarded()) return refuse({}, rpc::kParseError, "the message is not JSON in UTF-8");
  if (message.is_array()) return refuse({}, rpc::kInvalidRequest, "batches are not taken: send one message at a time");
  if (!message.is_object()) return refuse({}, rpc::kInvalidRequest, "a message is a JSON object");

  Json id;
  const auto given_id = message.find("id");
  const bool has_id = given_id != message.end();
  if (has_id && is_id(*given_id)) id = *given_id;
  const auto version = message.find("jsonrpc");
  if (version == message.end() || *version != "2.0") {
    return refuse(std::move(id), rpc::kInvalidRequest, "`jsonrpc` must be \"2.0\"");
  }
  if (has_id && id.is_null()) {
    return refuse({}, rpc::kInvalidRequest, "`id` must be a string or an integer");
  }
  const auto method = message.find("method");
  if (method == message.end()) {
    if (!id.is_null() && (message.contains("result") || message.contains("error"))) {
      return response_of(message, std::move(id));
    }
    return refuse(std::move(id), rpc::kInvalidRequest, "the message has no `method`");
  }
  if (!method->is_string()) return refuse(std::move(id), rpc::kInvalidRequest, "`method` must be a string");

  Json params = Json::object();
  if (const auto given = message.find("params"); given != message.end()) {
    if (!given->is_object()) return refuse(std::move(id), rpc::kInvalidParams, "`params` must be an object");
    params = std::move(*given);
  }
  if (id.is_null()) return Notification{method->get<std::string>(), std::move(params)};
  return Request{std::move(id), method->get<std::string>(), std::move(params)};
}

std::string dump(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string result_frame(const Json& id, const Json& result) {
  return frame_start(id).append(R"(,"result":)").append(dump(result)).append("}");
}

std::string error_frame(const Json& id, const RpcError& error) {
  Json body = {{"code", error.code}, {"message", error.message}};
  if (!error.data.is_null()) body["data"] = error.data;
  return frame_start(id).append(R"(,"error":)").append(dump(body)).append("}");
}

std::string notification_frame(std::string_view method, const Json& params) {
  return request_frame({}, method, params);
}

std::string request_frame(const Json& id, std::string_view method, const Json& params) {
  return frame_start(id)
      .append(R"(,"method":)")
      .append(dump(method))
      .append(R"(,"params":)")
      .append(dump(params))
      .append("}");
}

}  // namespace berth::mcp
