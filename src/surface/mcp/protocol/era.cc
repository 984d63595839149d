#include "surface/mcp/protocol/era.h"

#include <algorithm>
#include <utility>

namespace berth::mcp {
namespace {

constexpr std::array<std::string_view, 8> kLevels = {"debug", "info",     "notice", "warning",
                                                     "error", "critical", "alert",  "emergency"};

struct Name {
  std::string_view name;
  Method method;
};

constexpr std::array kShared = {
    Name{"tools/call", Method::call_tool},
    Name{"tools/list", Method::list_tools},
    Name{"resources/read", Method::read_resource},
    Name{"resources/list", Method::list_resources},
    Name{"resources/templates/list", Method::list_templates},
    Name{"prompts/list", Method::list_prompts},
    Name{"prompts/get", Method::get_prompt},
    Name{"completion/complete", Method::complete},
};
constexpr std::array kLegacyOnly = {
    Name{"initialize", Method::initialize},
    Name{"ping", Method::ping},
    Name{"logging/setLevel", Method::set_level},
    Name{"resources/subscribe", Method::subscribe},
    Name{"resources/unsubscribe", Method::unsubscribe},
};
constexpr std::array kModernOnly = {
    Name{"server/discover", Method::discover},
    Name{"subscriptions/listen", Method::listen},
};

template <std::size_t N>
std::optional<Method> find(const std::array<Name, N>& names, std::string_view wanted) noexcept {
  for (const auto& [name, method] : names) {
    if (name == wanted) return method;
  }
  return std::nullopt;
}

RpcError invalid(std::string message) { return {rpc::kInvalidParams, std::move(message), {}}; }

std::optional<RpcError> read_progress_token(const Json& meta, RequestMeta& into) {
  const auto token = meta.find("progressToken");
  if (token == meta.end()) return std::nullopt;
  if (!token->is_string() && !token->is_number_integer()) {
    return invalid("`_meta.progressToken` must be a string or an integer");
  }
  into.progress_token = *token;
  return std::nullopt;
}

}  // namespace

bool is_legacy_version(std::string_view version) noexcept {
  return std::find(kLegacyVersions.begin(), kLegacyVersions.end(), version) != kLegacyVersions.end();
}

std::string_view negotiated_version(std::string_view offered) noexcept {
  const auto* const known = std::find(kLegacyVersions.begin(), kLegacyVersions.end(), offered);
  return known != kLegacyVersions.end() ? *known : kLatestLegacyVersion;
}

std::optional<LogLevel> log_level_named(std::string_view name) noexcept {
  const auto* const found = std::find(kLevels.begin(), kLevels.end(), name);
  if (found == kLevels.end()) return std::nullopt;
  return static_cast<LogLevel>(found - kLevels.begin());
}

std::string_view log_level_name(LogLevel level) noexcept { return kLevels[static_cast<std::size_t>(level)]; }

const Json* meta_of(const Json& params) noexcept {
  const auto found = params.find("_meta");
  return found == params.end() ? nullptr : &*found;
}

std::optional<std::string_view> version_in(const Json& params) noexcept {
  const Json* meta = meta_of(params);
  if (meta == nullptr || !meta->is_object()) return std::nullopt;
  const auto version = meta->find(meta::kVersion);
  if (version == meta->end() || !version->is_string()) return std::nullopt;
  return version->get_ref<const std::string&>();
}

std::optional<Method> LegacyEra::method(std::string_view name) const noexcept {
  const auto shared = find(kShared, name);
  return shared ? shared : find(kLegacyOnly, name);
}

std::variant<RequestMeta, RpcError> LegacyEra::admit(const Json& params) const {
  RequestMeta read;
  const Json* meta = meta_of(params);
  if (meta == nullptr) return read;
  if (!meta->is_object()) return invalid("`_meta` must be an object");
  if (auto wrong = read_progress_token(*meta, read)) return std::move(*wrong);
  return read;
}

void LegacyEra::finish(Json& /*result*/, const Json& /*server_info*/, Caching /*caching*/) const {}

RpcError LegacyEra::missing_resource(std::string_view uri, std::string message) const {
  return {rpc::kResourceNotFound, std::move(message), {{"uri", uri}}};
}

std::optional<Method> ModernEra::method(std::string_view name) const noexcept {
  const auto shared = find(kShared, name);
  return shared ? shared : find(kModernOnly, name);
}

std::variant<RequestMeta, RpcError> ModernEra::admit(const Json& params) const {
  const Json* meta = meta_of(params);
  if (meta == nullptr || !meta->is_object()) return invalid("`params._meta` must be an object");
  const auto version = meta->find(meta::kVersion);
  if (version == meta->end() || !version->is_string()) {
    return invalid("`_meta` must name the protocol version in `io.modelcontextprotocol/protocolVersion`");
  }
  const auto capabilities = meta->find(meta::kClientCapabilities);
  if (capabilities == meta->end() || !capabilities->is_object()) {
    return invalid("`_meta` must hold the object `io.modelcontextprotocol/clientCapabilities`");
  }
  if (*version != kModernVersion) {
    return RpcError{rpc::kUnsupportedVersion,
                    "this protocol version is not spoken here",
                    {{"supported", Json::array({kModernVersion})}, {"requested", *version}}};
  }
  RequestMeta read;
  read.client_capabilities = *capabilities;
  if (auto wrong = read_progress_token(*meta, read)) return std::move(*wrong);
  if (const auto level = meta->find(meta::kLogLevel); level != meta->end()) {
    if (level->is_string()) read.log_level = log_level_named(level->get_ref<const std::string&>());
    if (!read.log_level) return invalid("`io.modelcontextprotocol/logLevel` must be one of debug … emergency");
  }
  return read;
}

void ModernEra::finish(Json& result, const Json& server_info, Caching caching) const {
  if (!result.contains("resultType")) result["resultType"] = "complete";
  if (caching == Caching::allowed) {
    // Files change under us, so nothing is good for longer than the moment.
    result["ttlMs"] = 0;
    result["cacheScope"] = "private";
  }
  result["_meta"][std::string(meta::kServerInfo)] = server_info;
}

RpcError ModernEra::missing_resource(std::string_view uri, std::string message) const {
  return {rpc::kInvalidParams, std::move(message), {{"uri", uri}}};
}

}  // namespace berth::mcp
