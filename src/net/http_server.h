#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "net/http.h"

namespace berth::net {

/// The answering side of one request: either `respond`, or `begin_stream`, any number of `write`, and `end`. Safe from
/// any thread, never blocks, and does nothing once the client is gone. Dropped without an answer, the connection is
/// closed.
class HttpExchange {
 public:
  HttpExchange() = default;
  virtual ~HttpExchange() = default;
  HttpExchange(const HttpExchange&) = delete;
  HttpExchange& operator=(const HttpExchange&) = delete;

  virtual void respond(HttpResponse response) = 0;

  /// Send the status and headers; the body follows in pieces. `keepalive` is sent whenever nothing else was for a
  /// while.
  virtual void begin_stream(HttpResponse head, std::string keepalive) = 0;
  /// False: the client is gone, or so far behind that it was given up.
  virtual bool write(std::string bytes) = 0;
  virtual void end() = 0;

  /// Called once, on the I/O thread, when the client goes before the answer is complete; at once when it is gone
  /// already. Must not block. The last one that was set counts.
  virtual void on_gone(std::function<void()> callback) = 0;
  /// Call on the I/O thread after a while, unless the server stops first. Must not block.
  virtual void call_later(std::chrono::milliseconds delay, std::function<void()> callback) = 0;
};

/// Takes a request that was read whole. Called on the I/O thread: it must not block, and hands longer work to others.
using HttpHandler = std::function<void(HttpRequest request, std::shared_ptr<HttpExchange> exchange)>;

struct HttpServerOptions {
  std::string host = "127.0.0.1";  ///< an address, or a name that is looked up
  std::uint16_t port = 0;          ///< 0: any free one
  std::size_t max_body_bytes = std::size_t{32} * 1024 * 1024;
  std::size_t max_header_bytes = std::size_t{32} * 1024;
  std::size_t max_connections = 1000;
  std::size_t max_unsent_bytes = std::size_t{64} * 1024 * 1024;  ///< of one exchange whose client does not read
  std::chrono::milliseconds read_timeout{60'000};   ///< for a request to arrive whole, idle time before it included
  std::chrono::milliseconds write_timeout{60'000};  ///< for a piece to be taken by the client
  std::chrono::milliseconds keepalive{15'000};      ///< between two signs of life of a stream
};

/// An HTTP/1.1 server: one I/O thread, persistent connections, bounded everything. A connection whose exchange waits
/// holds no thread. Requests that cannot be read are answered 400, 408, 413 or 431 and the connection is closed.
class HttpServer {
 public:
  /// Bind and begin. Errors: `invalid_argument` when the host means no address, `unavailable` when the port is taken,
  /// `permission_denied`.
  static Result<std::unique_ptr<HttpServer>> start(HttpServerOptions options, HttpHandler handler);

  virtual ~HttpServer() = default;
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  virtual std::uint16_t port() const noexcept = 0;
  /// Take no more requests, let answers that are under way go out for at most `grace`, close every connection. On
  /// return the I/O thread has ended and the handler is not called any more.
  virtual void stop(std::chrono::milliseconds grace) = 0;

 protected:
  HttpServer() = default;
};

}  // namespace berth::net
