#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

/// What HTTP says, as plain values.
namespace berth::net {

struct HttpHeader {
  std::string name;
  std::string value;

  bool operator==(const HttpHeader&) const = default;
};

struct HttpRequest {
  std::string method;
  std::string target;  ///< as sent: path and query
  std::vector<HttpHeader> headers;
  Bytes body;

  /// The value of the first header of that name, in any case, without space around it.
  std::optional<std::string_view> header(std::string_view name) const noexcept;
  /// How often a header of that name was sent.
  int header_count(std::string_view name) const noexcept;
  /// The target without its query.
  std::string_view path() const noexcept;

  bool operator==(const HttpRequest&) const = default;
};

/// `Content-Length` and `Connection` are added by the server.
struct HttpResponse {
  int status = 200;
  std::vector<HttpHeader> headers;
  Bytes body;

  bool operator==(const HttpResponse&) const = default;
};

std::string_view reason_phrase(int status) noexcept;

/// A host and a port: `[::1]:80` is the host `::1`.
struct HostAndPort {
  std::string host;
  std::string port;  ///< empty: none was given

  bool operator==(const HostAndPort&) const = default;
};

/// Read `HOST`, `HOST:PORT` or `[IPV6]:PORT`, the host in lower case; nothing when it is none of them.
std::optional<HostAndPort> parse_host_and_port(std::string_view text);

/// Whether a name or address means this machine alone: `localhost`, 127.0.0.0/8, `::1`.
bool is_loopback_host(std::string_view host) noexcept;

}  // namespace berth::net
