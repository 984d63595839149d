#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "net/http_server.h"
#include "surface/mcp/http_checks.h"
#include "surface/mcp/http_session.h"

namespace berth::mcp {

struct HttpOptions {
  net::HttpServerOptions server;
  HttpGate gate;
  HttpSession::Options session;
  std::size_t max_sessions = 256;
  std::size_t max_clients = 256;  ///< of the newer era that are remembered; who was idle for longest makes room
  std::chrono::milliseconds session_idle{30 * 60 * 1000};  ///< after which a session may make room for another
};

/// Streamable HTTP: sessions for clients of the older era, single requests for those of the newer one, at one path.
///
/// In the newer era nothing on the wire names a conversation. What a client says of itself stands for it: the headers
/// `Berth-Conversation` (ours), `Authorization`, `User-Agent` and `Origin`, and `clientInfo` of the message. Requests
/// that say the same share one memory of what was read; what another one read makes no edit of theirs pass.
class HttpTransport {
 public:
  /// Begin to serve. Errors: those of `HttpServer::start`. The service must outlive it.
  static Result<std::unique_ptr<HttpTransport>> start(Service& service, HttpOptions options);

  virtual ~HttpTransport() = default;
  HttpTransport(const HttpTransport&) = delete;
  HttpTransport& operator=(const HttpTransport&) = delete;

  virtual std::uint16_t port() const noexcept = 0;
  /// Stop every call, let what was said go out, close every connection.
  virtual void stop() = 0;

 protected:
  HttpTransport() = default;
};

}  // namespace berth::mcp
