#include "net/http.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cctype>

namespace berth::net {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

bool same_name(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trimmed(std::string_view text) noexcept {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

std::optional<std::string_view> HttpRequest::header(std::string_view name) const noexcept {
  for (const auto& header : headers) {
    if (same_name(header.name, name)) return trimmed(header.value);
  }
  return std::nullopt;
}

int HttpRequest::header_count(std::string_view name) const noexcept {
  return static_cast<int>(
      std::count_if(headers.begin(), headers.end(), [&](const auto& header) { return same_name(header.name, name); }));
}

std::string_view HttpRequest::path() const noexcept { return std::string_view(target).substr(0, target.find('?')); }

std::string_view reason_phrase(int status) noexcept {
  switch (status) {
    case 200: return "OK";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 406: return "Not Acceptable";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 413: return "Content Too Large";
    case 415: return "Unsupported Media Type";
    case 421: return "Misdirected Request";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 503: return "Service Unavailable";
    default: return "Status";
  }
}

std::optional<HostAndPort> parse_host_and_port(std::string_view text) {
  HostAndPort read;
  std::string_view port;
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    read.host = text.substr(1, end - 1);
    port = text.substr(end + 1);
    if (!port.empty() && !port.starts_with(':')) return std::nullopt;
    if (!port.empty()) port.remove_prefix(1);
  } else {
    const auto colon = text.find(':');
    read.host = text.substr(0, colon);
    if (colon != std::string_view::npos) port = text.substr(colon + 1);
    if (port.find(':') != std::string_view::npos) return std::nullopt;
  }
  if (read.host.empty() || port.size() > 5 ||
      !std::all_of(port.begin(), port.end(), [](unsigned char c) { return std::isdigit(c) != 0; })) {
    return std::nullopt;
  }
  std::transform(read.host.begin(), read.host.end(), read.host.begin(), lower);
  read.port = port;
  return read;
}

bool is_loopback_host(std::string_view host) noexcept {
  if (host == "localhost" || host == "::1") return true;
  in_addr address{};
  return ::inet_pton(AF_INET, std::string(host).c_str(), &address) == 1 && (ntohl(address.s_addr) >> 24U) == 127;
}

}  // namespace berth::net
