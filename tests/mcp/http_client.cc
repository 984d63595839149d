#include "tests/mcp/http_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>

namespace berth::testing {

HttpConnection::HttpConnection(std::uint16_t port) {
  fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (fd_ < 0 || ::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    std::perror("connect");
    std::abort();
  }
}

HttpConnection::~HttpConnection() { ::close(fd_); }

void HttpConnection::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const auto sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

bool HttpConnection::more() {
  pollfd readable{fd_, POLLIN, 0};
  if (::poll(&readable, 1, 20'000) != 1) return false;
  char buffer[65536];
  const auto got = ::recv(fd_, buffer, sizeof buffer, 0);
  if (got <= 0) return false;
  held_.append(buffer, static_cast<std::size_t>(got));
  return true;
}

std::optional<std::string> HttpConnection::read_until(std::string_view mark) {
  for (;;) {
    if (const auto at = held_.find(mark); at != std::string::npos) {
      auto text = held_.substr(0, at);
      held_.erase(0, at + mark.size());
      return text;
    }
    if (!more()) return std::nullopt;
  }
}

std::optional<std::string> HttpConnection::read_bytes(std::size_t count) {
  while (held_.size() < count) {
    if (!more()) return std::nullopt;
  }
  auto text = held_.substr(0, count);
  held_.erase(0, count);
  return text;
}

bool HttpConnection::at_end() { return held_.empty() && !more(); }

HttpCall::HttpCall(std::uint16_t port, const std::string& method, const Headers& headers, std::string_view body,
                   const std::string& target)
    : connection_(port) {
  std::string head = method + " " + target + " HTTP/1.1\r\n";
  const auto given = [&](const char* name) {
    return std::any_of(headers.begin(), headers.end(), [&](const auto& header) { return header.first == name; });
  };
  if (!given("Host")) head += "Host: 127.0.0.1:" + std::to_string(port) + "\r\n";
  if (method == "POST") head += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  for (const auto& [name, value] : headers) head.append(name).append(": ").append(value).append("\r\n");
  connection_.send(head + "\r\n");
  connection_.send(body);

  const auto got = connection_.read_until("\r\n\r\n");
  if (!got) return;
  answer_.status = std::atoi(got->substr(9, 3).c_str());
  for (auto at = got->find("\r\n"); at != std::string::npos;) {
    const auto end = got->find("\r\n", at + 2);
    const auto line = got->substr(at + 2, end == std::string::npos ? end : end - at - 2);
    auto name = line.substr(0, line.find(':'));
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    answer_.headers[name] = line.substr(line.find(':') + 2);
    at = end;
  }
  if (const auto length = answer_.header("content-length"); !length.empty()) {
    answer_.body = connection_.read_bytes(std::stoul(length)).value_or("");
  }
}

std::optional<HttpCall::Event> HttpCall::event() {
  for (;;) {
    if (const auto end = chunks_.find("\n\n"); end != std::string::npos) {
      Event event;
      const auto text = chunks_.substr(0, end + 1);
      chunks_.erase(0, end + 2);
      for (std::size_t at = 0; at < text.size();) {
        const auto line = text.substr(at, text.find('\n', at) - at);
        if (line.starts_with("id: ")) event.id = line.substr(4);
        if (line.starts_with("data: ")) event.data += line.substr(6);
        at += line.size() + 1;
      }
      if (event.id.empty() && event.data.empty()) continue;
      return event;
    }
    const auto size = connection_.read_until("\r\n");
    if (!size) return std::nullopt;
    const auto count = std::stoul(*size, nullptr, 16);
    if (count == 0) return std::nullopt;
    const auto chunk = connection_.read_bytes(count + 2);
    if (!chunk) return std::nullopt;
    chunks_ += chunk->substr(0, count);
  }
}

Headers legacy_headers(const std::string& session) {
  Headers headers = {{"Content-Type", "application/json"}, {"Accept", "application/json, text/event-stream"}};
  if (!session.empty()) {
    headers.emplace_back("Mcp-Session-Id", session);
    headers.emplace_back("MCP-Protocol-Version", "2025-11-25");
  }
  return headers;
}

Headers modern_headers(const std::string& method, const std::string& name) {
  auto headers = legacy_headers();
  headers.emplace_back("MCP-Protocol-Version", "2026-07-28");
  headers.emplace_back("Mcp-Method", method);
  if (!name.empty()) headers.emplace_back("Mcp-Name", name);
  return headers;
}

std::string legacy_body(const Json& id, const std::string& method, const Json& params) {
  return Json({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}}).dump();
}

std::string modern_body(const Json& id, const std::string& method, Json params) {
  params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28";
  auto& capabilities = params["_meta"]["io.modelcontextprotocol/clientCapabilities"];
  if (capabilities.is_null()) capabilities = Json::object();
  return legacy_body(id, method, params);
}

}  // namespace berth::testing
