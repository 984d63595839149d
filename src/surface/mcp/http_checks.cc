#include "surface/mcp/http_checks.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/base64.h"
#include "surface/mcp/protocol/era.h"

namespace berth::mcp {
namespace {

bool host_allowed(const HttpGate& gate, std::string_view text) {
  const auto host = net::parse_host_and_port(text);
  if (!host) return false;
  return net::is_loopback_host(host->host) ||
         std::find(gate.hosts.begin(), gate.hosts.end(), host->host) != gate.hosts.end();
}

bool origin_allowed(const HttpGate& gate, std::string_view origin) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (origin.starts_with(scheme)) return host_allowed(gate, origin.substr(scheme.size()));
  }
  return false;
}

// In time that depends on the lengths alone.
bool same_secret(std::string_view given, std::string_view wanted) {
  if (given.size() != wanted.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < given.size(); ++i) {
    difference |= static_cast<unsigned>(static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(wanted[i]));
  }
  return difference == 0;
}

bool has_token(const net::HttpRequest& request, std::string_view token) {
  constexpr std::string_view kScheme = "bearer ";
  const auto given = request.header("Authorization");
  if (!given || given->size() < kScheme.size()) return false;
  const bool bearer = std::equal(kScheme.begin(), kScheme.end(), given->begin(),
                                 [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
  return bearer && same_secret(given->substr(kScheme.size()), token);
}

std::string lower(std::string_view text) {
  std::string low(text);
  std::transform(low.begin(), low.end(), low.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return low;
}

bool accepts(std::string_view header, std::string_view type) {
  const auto low = lower(header);
  const auto group = std::string(type.substr(0, type.find('/'))) + "/*";
  return low.find(type) != std::string::npos || low.find("*/*") != std::string::npos ||
         low.find(group) != std::string::npos;
}

// What a header cannot hold as it is travels as `=?base64?…?=`.
std::optional<std::string> decoded(std::string_view value) {
  constexpr std::string_view kStart = "=?base64?";
  constexpr std::string_view kEnd = "?=";
  if (value.size() < kStart.size() + kEnd.size() || !value.starts_with(kStart) || !value.ends_with(kEnd)) {
    return std::string(value);
  }
  value.remove_prefix(kStart.size());
  value.remove_suffix(kEnd.size());
  return try_decode_base64(value);
}

RpcError mismatch(std::string message) { return {rpc::kHeaderMismatch, std::move(message), {}}; }

}  // namespace

net::HttpResponse json_response(int status, std::string body) {
  return {status, {{"Content-Type", "application/json"}}, std::move(body)};
}

net::HttpResponse refusal(int status, int code, std::string_view message) {
  return json_response(status, error_frame({}, {code, std::string(message), {}}));
}

std::optional<net::HttpResponse> refused_at_gate(const HttpGate& gate, const net::HttpRequest& request) {
  if (request.header_count("Host") != 1) return refusal(400, rpc::kInvalidRequest, "there must be one Host header");
  if (!host_allowed(gate, *request.header("Host"))) {
    return refusal(421, rpc::kInvalidRequest, "this server does not answer for that Host");
  }
  if (const auto origin = request.header("Origin"); origin && !origin_allowed(gate, *origin)) {
    return refusal(403, rpc::kInvalidRequest, "requests of this Origin are not taken");
  }
  if (!gate.token.empty() && !has_token(request, gate.token)) {
    auto response = refusal(401, rpc::kInvalidRequest, "a bearer token is needed");
    response.headers.push_back({"WWW-Authenticate", "Bearer"});
    return response;
  }
  if (request.path() != gate.path) return refusal(404, rpc::kInvalidRequest, "there is nothing at this path");
  return std::nullopt;
}

std::optional<net::HttpResponse> refused_media(const net::HttpRequest& request) {
  const auto type = request.header("Content-Type").value_or("");
  auto media = lower(type.substr(0, type.find(';')));
  while (media.ends_with(' ')) media.pop_back();
  if (media != "application/json") return refusal(415, rpc::kInvalidRequest, "Content-Type must be application/json");
  const auto accepted = request.header("Accept").value_or("");
  if (!accepts(accepted, "application/json") || !accepts(accepted, "text/event-stream")) {
    return refusal(406, rpc::kInvalidRequest, "Accept must name application/json and text/event-stream");
  }
  return std::nullopt;
}

bool names_modern_version(const net::HttpRequest& request) {
  const auto version = request.header("MCP-Protocol-Version");
  return version && !is_legacy_version(*version);
}

std::optional<RpcError> header_mismatch(const net::HttpRequest& request, const Request& message) {
  if (request.header("MCP-Protocol-Version") != version_in(message.params)) {
    return mismatch("MCP-Protocol-Version does not say what the message says");
  }
  if (request.header("Mcp-Method") != message.method) return mismatch("Mcp-Method does not say what the message says");
  const bool reads = message.method == "resources/read";
  if (!reads && message.method != "tools/call" && message.method != "prompts/get") return std::nullopt;
  const auto name = message.params.find(reads ? "uri" : "name");
  if (name == message.params.end() || !name->is_string()) return std::nullopt;
  const auto given = request.header("Mcp-Name");
  if (!given || decoded(*given) != name->get_ref<const std::string&>()) {
    return mismatch("Mcp-Name does not say what the message says");
  }
  return std::nullopt;
}

int http_status_of(int error_code) noexcept {
  switch (error_code) {
    case rpc::kParseError:
    case rpc::kInvalidRequest:
    case rpc::kInvalidParams:
    case rpc::kHeaderMismatch:
    case rpc::kMissingCapability:
    case rpc::kUnsupportedVersion: return 400;
    case rpc::kMethodNotFound: return 404;
    case rpc::kOverloaded: return 503;
    default: return 200;
  }
}

}  // namespace berth::mcp
