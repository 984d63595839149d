#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/http.h"
#include "surface/mcp/protocol/json_rpc.h"

/// What is looked at in a request's headers before, and beside, its message. Pure functions.
namespace berth::mcp {

struct HttpGate {
  std::string path = "/mcp";
  std::vector<std::string> hosts;  ///< names and addresses, in lower case, besides those of this machine alone
  std::string token;               ///< demanded as a bearer token; empty: none
};

/// Whether the request may come in at all, in this order: `Host` (400, 421), `Origin` (403), token (401), path (404).
/// Nothing: it may. So a page in a browser that was led here by DNS is turned away before anything is read.
std::optional<net::HttpResponse> refused_at_gate(const HttpGate& gate, const net::HttpRequest& request);

/// `Content-Type` (415) and `Accept` (406) of a POST.
std::optional<net::HttpResponse> refused_media(const net::HttpRequest& request);

/// Whether the header names 2026-07-28 or a version that is not known: then the request is of the newer era.
bool names_modern_version(const net::HttpRequest& request);

/// The headers that repeat what a modern message says: `MCP-Protocol-Version`, `Mcp-Method`, `Mcp-Name`.
std::optional<RpcError> header_mismatch(const net::HttpRequest& request, const Request& message);

/// The status of an error's answer in the newer era.
int http_status_of(int error_code) noexcept;

net::HttpResponse json_response(int status, std::string body);
/// A refusal with a message for whoever looks at it.
net::HttpResponse refusal(int status, int code, std::string_view message);

}  // namespace berth::mcp
