#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <nlohmann/json.hpp>

#include "base/bytes.h"

/// JSON-RPC 2.0 as the Model Context Protocol uses it: one message a frame. Pure functions, no I/O.
namespace berth::mcp {

using Json = nlohmann::ordered_json;

/// Codes of the protocol; those of tools' errors never appear here.
namespace rpc {
inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;
inline constexpr int kOverloaded = -32000;        ///< ours: too much is waiting already
inline constexpr int kResourceNotFound = -32002;  ///< before 2026-07-28
inline constexpr int kHeaderMismatch = -32020;
inline constexpr int kMissingCapability = -32021;
inline constexpr int kUnsupportedVersion = -32022;
}  // namespace rpc

/// What bounds one frame, so that a hostile one costs time and memory in proportion to its size.
struct FrameLimits {
  static constexpr std::size_t kMaxBytes = std::size_t{32} * 1024 * 1024;
  static constexpr int kMaxDepth = 100;
  static constexpr int kMaxKeys = 1000;  ///< of one object
};

struct RpcError {
  int code = rpc::kInternalError;
  std::string message;
  Json data;  ///< null: none

  bool operator==(const RpcError&) const = default;
};

/// A call that wants an answer. `id` is a string or an integer.
struct Request {
  Json id;
  std::string method;
  Json params;  ///< always an object

  bool operator==(const Request&) const = default;
};

struct Notification {
  std::string method;
  Json params;  ///< always an object

  bool operator==(const Notification&) const = default;
};

/// An answer to a request of ours.
struct Response {
  Json id;
  Json result;  ///< null when it failed
  std::optional<RpcError> error;

  bool operator==(const Response&) const = default;
};

/// A frame that is no message; `id` is null unless the frame held a usable one.
struct Malformed {
  Json id;
  RpcError error;

  bool operator==(const Malformed&) const = default;
};

using Message = std::variant<Request, Notification, Response, Malformed>;

/// Read one frame. Text that is not JSON (nor UTF-8), or beyond the limits of depth and keys, is `kParseError`; JSON
/// that is no single message, batches included, is `kInvalidRequest`; `params` that are no object are
/// `kInvalidParams`. Time and memory are in proportion to the frame.
Message parse_frame(BytesView frame);

/// Serialise; bytes that are not UTF-8 become U+FFFD.
std::string dump(const Json& value);

std::string result_frame(const Json& id, const Json& result);
/// An error whose request is not known has no `id`: the published schemas know no null.
std::string error_frame(const Json& id, const RpcError& error);
std::string request_frame(const Json& id, std::string_view method, const Json& params);
std::string notification_frame(std::string_view method, const Json& params);

}  // namespace berth::mcp
