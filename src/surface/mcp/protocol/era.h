#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "surface/mcp/protocol/json_rpc.h"

/// The protocol has two eras: the revisions up to 2025-11-25, opened by `initialize`, and 2026-07-28, in which every
/// request says for itself which revision it speaks. What differs between them is here and nowhere else.
namespace berth::mcp {

inline constexpr std::array<std::string_view, 4> kLegacyVersions = {"2024-11-05", "2025-03-26", "2025-06-18",
                                                                    "2025-11-25"};
inline constexpr std::string_view kLatestLegacyVersion = kLegacyVersions.back();
inline constexpr std::string_view kModernVersion = "2026-07-28";

namespace meta {
inline constexpr std::string_view kVersion = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view kClientCapabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view kClientInfo = "io.modelcontextprotocol/clientInfo";
inline constexpr std::string_view kLogLevel = "io.modelcontextprotocol/logLevel";
inline constexpr std::string_view kServerInfo = "io.modelcontextprotocol/serverInfo";
inline constexpr std::string_view kSubscription = "io.modelcontextprotocol/subscriptionId";
}  // namespace meta

bool is_legacy_version(std::string_view version) noexcept;
/// What is answered to a client that offers this version: the same, or our latest.
std::string_view negotiated_version(std::string_view offered) noexcept;

/// By severity, as in RFC 5424.
enum class LogLevel : std::uint8_t { debug, info, notice, warning, error, critical, alert, emergency };

std::optional<LogLevel> log_level_named(std::string_view name) noexcept;
std::string_view log_level_name(LogLevel level) noexcept;

enum class Method : std::uint8_t {
  initialize,
  ping,
  set_level,
  discover,
  list_tools,
  call_tool,
  list_resources,
  list_templates,
  read_resource,
  subscribe,
  unsubscribe,
  listen,
  list_prompts,
  get_prompt,
  complete,
};

/// What a request says of itself besides its parameters.
struct RequestMeta {
  Json client_capabilities = Json::object();
  Json progress_token;                ///< a string or an integer; null: no progress is wanted
  std::optional<LogLevel> log_level;  ///< of this request alone
};

/// Whether clients may keep a result for a while.
enum class Caching : std::uint8_t { none, allowed };

/// The strategy of one era. Stateless.
class Era {
 public:
  virtual ~Era() = default;

  /// The method of that name; nothing when this era has none.
  virtual std::optional<Method> method(std::string_view name) const noexcept = 0;
  /// Check and read what stands in `params._meta`.
  virtual std::variant<RequestMeta, RpcError> admit(const Json& params) const = 0;
  /// Add what every result of this era carries.
  virtual void finish(Json& result, const Json& server_info, Caching caching) const = 0;
  /// The error for a resource that is not there.
  virtual RpcError missing_resource(std::string_view uri, std::string message) const = 0;
  /// Whether the server may send requests of its own; else it answers with what it asks, and the request is made again.
  virtual bool asks_by_requests() const noexcept = 0;
  /// Whether the log level is the conversation's (`logging/setLevel`), not the request's.
  virtual bool level_of_conversation() const noexcept = 0;
};

class LegacyEra final : public Era {
 public:
  std::optional<Method> method(std::string_view name) const noexcept override;
  std::variant<RequestMeta, RpcError> admit(const Json& params) const override;
  void finish(Json& result, const Json& server_info, Caching caching) const override;
  RpcError missing_resource(std::string_view uri, std::string message) const override;
  bool asks_by_requests() const noexcept override { return true; }
  bool level_of_conversation() const noexcept override { return true; }
};

class ModernEra final : public Era {
 public:
  std::optional<Method> method(std::string_view name) const noexcept override;
  std::variant<RequestMeta, RpcError> admit(const Json& params) const override;
  void finish(Json& result, const Json& server_info, Caching caching) const override;
  RpcError missing_resource(std::string_view uri, std::string message) const override;
  bool asks_by_requests() const noexcept override { return false; }
  bool level_of_conversation() const noexcept override { return false; }
};

/// `_meta` of a request's params; null when there is none.
const Json* meta_of(const Json& params) noexcept;
/// The version a request names in `_meta`; nothing when it names none.
std::optional<std::string_view> version_in(const Json& params) noexcept;

}  // namespace berth::mcp
