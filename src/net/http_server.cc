#include "net/http_server.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <deque>
#include <iterator>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>

namespace berth::net {
namespace {

namespace asio = boost::asio;
namespace beast_http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

/// What the I/O thread and its connections share. Whoever may outlive the server holds it.
struct Loop {
  explicit Loop(HttpServerOptions given) : options(std::move(given)) {}

  const HttpServerOptions options;
  asio::io_context io{1};
};

/// One client. Everything happens on the I/O thread, but for what says otherwise.
class Connection final : public std::enable_shared_from_this<Connection> {
 public:
  class Exchange;

  Connection(std::shared_ptr<Loop> loop, tcp::socket socket, const HttpHandler& handler,
             std::function<void(const std::shared_ptr<Connection>&)> closed)
      : loop_(std::move(loop)),
        socket_(std::move(socket)),
        timer_(loop_->io),
        handler_(handler),
        closed_(std::move(closed)) {}

  void begin() {
    error_code ignored;
    socket_.set_option(tcp::no_delay(true), ignored);
    read();
  }

  /// No more requests; close now when nothing is under way.
  void wind_down() {
    winding_down_ = true;
    if (!exchange_open_) close();
  }

  void close() {
    if (gone_.exchange(true)) return;
    error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_both, ignored);
    socket_.close(ignored);
    timer_.cancel();
    exchange_ended(Ended::early);
    closed_(shared_from_this());
  }

 private:
  enum class Ended { whole, early };

  struct Piece {
    std::string bytes;
    bool last = false;  ///< of the answer
  };

  void read() {
    parser_.emplace();
    parser_->body_limit(loop_->options.max_body_bytes);
    parser_->header_limit(static_cast<std::uint32_t>(loop_->options.max_header_bytes));
    expect(loop_->options.read_timeout, [](Connection& self) {
      // Whoever has sent nothing is just idle.
      if (self.buffer_.size() > 0 || self.parser_->got_some()) return self.refuse(408);
      self.close();
    });
    beast_http::async_read(socket_, buffer_, *parser_,
                           [self = shared_from_this()](error_code error, std::size_t) { self->on_read(error); });
  }

  void on_read(error_code error) {
    if (gone_ || linger_) return;
    timer_.cancel();
    if (error == beast_http::error::body_limit) return refuse(413);
    if (error == beast_http::error::header_limit) return refuse(431);
    if (error == beast_http::error::end_of_stream) return close();
    if (error) {
      if (error.category() == beast_http::make_error_code(beast_http::error::bad_method).category()) return refuse(400);
      return close();
    }
    auto& message = parser_->get();
    HttpRequest request;
    request.method = std::string(message.method_string());
    request.target = std::string(message.target());
    for (const auto& field : message) {
      request.headers.push_back({std::string(field.name_string()), std::string(field.value())});
    }
    request.body = std::move(message.body());
    keep_ = message.keep_alive() && !winding_down_;
    chunked_ = message.version() >= 11;
    exchange_open_ = true;
    head_request_ = request.method == "HEAD";
    look_for_end();
    handler_(std::move(request), make_exchange());
  }

  std::shared_ptr<HttpExchange> make_exchange();

  /// While an answer is awaited nothing is read, so the end of the connection has to be looked for.
  void look_for_end() {
    socket_.async_wait(tcp::socket::wait_read, [weak = weak_from_this(), turn = turn_](error_code error) {
      const auto self = weak.lock();
      if (!self || error || self->gone_ || self->turn_ != turn) return;
      char byte = 0;
      const auto got = ::recv(self->socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
      // Bytes are the next request, sent early; from then on the end shows when something is written.
      if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) self->close();
    });
  }

  void refuse(int status) {
    keep_ = false;
    linger_ = true;
    exchange_open_ = true;
    std::string head = status_line(status);
    head += "Content-Length: 0\r\nConnection: close\r\n\r\n";
    push({std::move(head), true});
  }

  static std::string status_line(int status) {
    return "HTTP/1.1 " + std::to_string(status) + " " + std::string(reason_phrase(status)) + "\r\n";
  }

  static std::string head_of(const HttpResponse& response) {
    auto head = status_line(response.status);
    for (const auto& [name, value] : response.headers) head.append(name).append(": ").append(value).append("\r\n");
    return head;
  }

  void push(Piece piece) {
    if (gone_) return;
    unsent_.push_back(std::move(piece));
    if (unsent_.size() == 1) write_next();
  }

  void write_next() {
    expect(loop_->options.write_timeout, [](Connection& self) { self.close(); });
    asio::async_write(socket_, asio::buffer(unsent_.front().bytes),
                      [self = shared_from_this()](error_code error, std::size_t) { self->on_written(error); });
  }

  void on_written(error_code error) {
    if (gone_) return;
    if (error) return close();
    timer_.cancel();
    unsent_bytes_ -= std::min(unsent_bytes_.load(), unsent_.front().bytes.size());
    const bool last = unsent_.front().last;
    unsent_.pop_front();
    if (!unsent_.empty()) return write_next();
    if (!last) {
      if (streaming_) await_keepalive();
      return;
    }
    exchange_ended(Ended::whole);
    if (linger_) return linger();
    if (!keep_ || winding_down_) return close();
    ++turn_;
    read();
  }

  // A client that is still sending would lose the answer to the reset that closing causes: so read on for a moment.
  void linger() {
    error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
    expect(std::chrono::seconds(2), [](Connection& self) { self.close(); });
    drain();
  }

  void drain() {
    socket_.async_read_some(asio::buffer(drained_), [self = shared_from_this()](error_code error, std::size_t) {
      if (self->gone_) return;
      if (error) return self->close();
      self->drain();
    });
  }

  std::string piece_of(const std::string& bytes) const {
    if (!chunked_) return bytes;
    char size[20];
    const auto* const end = std::to_chars(std::begin(size), std::end(size), bytes.size(), 16).ptr;
    return std::string(std::begin(size), static_cast<std::size_t>(end - std::begin(size)))
        .append("\r\n")
        .append(bytes)
        .append("\r\n");
  }

  void await_keepalive() {
    if (keepalive_.empty()) return;
    expect(loop_->options.keepalive, [](Connection& self) {
      self.unsent_bytes_ += self.keepalive_.size();
      self.push({self.keepalive_, false});
    });
  }

  void expect(std::chrono::milliseconds within, void (*late)(Connection&)) {
    timer_.expires_after(within);
    timer_.async_wait([weak = weak_from_this(), late](error_code error) {
      const auto self = weak.lock();
      // One that ran out just before it was set anew counts for nothing.
      if (self && !error && !self->gone_ && self->timer_.expiry() <= std::chrono::steady_clock::now()) late(*self);
    });
  }

  void exchange_ended(Ended how) {
    if (!exchange_open_) return;
    exchange_open_ = false;
    streaming_ = false;
    unsent_bytes_ = 0;
    std::function<void()> gone;
    {
      const std::lock_guard lock(gone_mutex_);
      gone.swap(on_gone_);
      if (how == Ended::early) told_gone_ = true;
      ++gone_turn_;
    }
    if (gone && how == Ended::early) gone();
  }

  friend class Exchange;

  const std::shared_ptr<Loop> loop_;
  tcp::socket socket_;
  asio::steady_timer timer_;
  const HttpHandler& handler_;
  const std::function<void(const std::shared_ptr<Connection>&)> closed_;
  boost::beast::flat_buffer buffer_;
  std::optional<beast_http::request_parser<beast_http::string_body>> parser_;
  std::deque<Piece> unsent_;
  std::uint64_t turn_ = 0;  ///< of the exchange
  bool exchange_open_ = false;
  bool streaming_ = false;
  bool keep_ = false;
  bool chunked_ = true;
  bool head_request_ = false;
  bool winding_down_ = false;
  bool linger_ = false;
  std::string keepalive_;
  std::array<char, 4096> drained_{};
  // From any thread.
  std::atomic<bool> gone_{false};
  std::atomic<std::size_t> unsent_bytes_{0};
  std::mutex gone_mutex_;
  std::uint64_t gone_turn_ = 0;  ///< whose `on_gone_` it is
  std::function<void()> on_gone_;
  bool told_gone_ = false;
};

class Connection::Exchange final : public HttpExchange {
 public:
  Exchange(std::shared_ptr<Connection> connection, std::uint64_t turn)
      : connection_(std::move(connection)), turn_(turn) {}

  ~Exchange() override {
    if (answered_) return;
    on_loop([](Connection& self) { self.close(); });
  }

  void respond(HttpResponse response) override {
    if (answered_.exchange(true)) return;
    connection_->unsent_bytes_ += response.body.size();
    on_loop([response = std::move(response)](Connection& self) mutable {
      auto bytes = head_of(response);
      if (response.status != 204) bytes += "Content-Length: " + std::to_string(response.body.size()) + "\r\n";
      bytes += self.keep_ && !self.winding_down_ ? "\r\n" : "Connection: close\r\n\r\n";
      if (!self.head_request_) bytes += response.body;
      self.push({std::move(bytes), true});
    });
  }

  void begin_stream(HttpResponse head, std::string keepalive) override {
    if (answered_.exchange(true)) return;
    on_loop([head = std::move(head), keepalive = std::move(keepalive)](Connection& self) mutable {
      auto bytes = head_of(head);
      if (self.chunked_) {
        bytes += "Transfer-Encoding: chunked\r\n";
      } else {
        self.keep_ = false;
      }
      bytes += self.keep_ ? "\r\n" : "Connection: close\r\n\r\n";
      self.streaming_ = true;
      self.keepalive_ = keepalive.empty() ? keepalive : self.piece_of(keepalive);
      self.push({std::move(bytes), false});
    });
  }

  bool write(std::string bytes) override {
    auto& unsent = connection_->unsent_bytes_;
    if (connection_->gone_ || bytes.empty()) return !connection_->gone_;
    if (unsent.fetch_add(bytes.size()) + bytes.size() > connection_->loop_->options.max_unsent_bytes) {
      on_loop([](Connection& self) { self.close(); });
      return false;
    }
    on_loop([bytes = std::move(bytes)](Connection& self) {
      if (self.streaming_) self.push({self.piece_of(bytes), false});
    });
    return true;
  }

  void end() override {
    on_loop([](Connection& self) {
      if (!self.streaming_) return;
      self.streaming_ = false;
      self.push({self.chunked_ ? "0\r\n\r\n" : "", true});
    });
  }

  void on_gone(std::function<void()> callback) override {
    {
      const std::lock_guard lock(connection_->gone_mutex_);
      if (!connection_->told_gone_) {
        // One that comes after its exchange has ended must not take the place of the next one's.
        if (connection_->gone_turn_ == turn_) connection_->on_gone_ = std::move(callback);
        return;
      }
    }
    callback();
  }

  void call_later(std::chrono::milliseconds delay, std::function<void()> callback) override {
    auto timer = std::make_shared<asio::steady_timer>(connection_->loop_->io, delay);
    timer->async_wait([timer, callback = std::move(callback)](error_code error) {
      if (!error) callback();
    });
  }

 private:
  // A late call finds the next exchange on the connection, or nothing.
  template <typename Step>
  void on_loop(Step step) {
    asio::post(connection_->loop_->io,
               [weak = std::weak_ptr(connection_), turn = turn_, step = std::move(step)]() mutable {
                 const auto self = weak.lock();
                 if (self && !self->gone_ && self->turn_ == turn && self->exchange_open_) step(*self);
               });
  }

  const std::shared_ptr<Connection> connection_;
  const std::uint64_t turn_;
  std::atomic<bool> answered_{false};
};

std::shared_ptr<HttpExchange> Connection::make_exchange() {
  return std::make_shared<Exchange>(shared_from_this(), turn_);
}

class Server final : public HttpServer {
 public:
  Server(HttpServerOptions options, HttpHandler handler)
      : loop_(std::make_shared<Loop>(std::move(options))), acceptor_(loop_->io), handler_(std::move(handler)) {}

  ~Server() override { stop(std::chrono::milliseconds(0)); }

  Result<void> begin() {
    error_code error;
    tcp::resolver resolver(loop_->io);
    const auto found = resolver.resolve(loop_->options.host, std::to_string(loop_->options.port), error);
    if (error || found.empty())
      return make_error(ErrorCode::invalid_argument, "the host to listen on means no address");
    const auto endpoint = found.begin()->endpoint();
    protocol_ = endpoint.protocol();
    open_acceptor(error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) {
      if (error == asio::error::address_in_use) {
        return make_error(ErrorCode::unavailable, "another program listens on this port");
      }
      return errno_error(error.value(), "listen on this address");
    }
    port_ = acceptor_.local_endpoint(error).port();
    accept();
    thread_ = std::thread([this] { loop_->io.run(); });
    return {};
  }

  std::uint16_t port() const noexcept override { return port_; }

  void stop(std::chrono::milliseconds grace) override {
    if (!thread_.joinable()) return;
    asio::post(loop_->io, [this, grace] {
      error_code ignored;
      acceptor_.close(ignored);
      stopping_ = true;
      for (const auto& connection : std::set(connections_)) connection->wind_down();
      grace_.emplace(loop_->io, grace);
      grace_->async_wait([this](error_code) {
        for (const auto& connection : std::set(connections_)) connection->close();
        loop_->io.stop();
      });
      end_when_idle();
    });
    thread_.join();
    // What was cut off by closing holds its connection, and that one the loop: let it end.
    loop_->io.restart();
    loop_->io.poll();
    connections_.clear();
  }

 private:
  // Asio would open and accept without SOCK_CLOEXEC, and a command that starts just then would hold the socket.
  void open_acceptor(error_code& error) {
    const int fd = ::socket(protocol_.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
      error = error_code(errno, boost::system::system_category());
      return;
    }
    acceptor_.assign(protocol_, fd, error);
    if (error) ::close(fd);
  }

  std::optional<tcp::socket> accepted(error_code& error) {
    const int fd = ::accept4(acceptor_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
      // Gone before it was taken.
      if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) {
        error = error_code(errno, boost::system::system_category());
      }
      return std::nullopt;
    }
    tcp::socket socket(loop_->io);
    socket.assign(protocol_, fd, error);
    if (error) {
      ::close(fd);
      return std::nullopt;
    }
    return socket;
  }

  void accept() {
    acceptor_.async_wait(tcp::acceptor::wait_read, [this](error_code error) {
      if (stopping_ || error == asio::error::operation_aborted) return;
      auto socket = error ? std::nullopt : accepted(error);
      if (error) {
        // Out of descriptors, most likely: give others time to close theirs.
        retry_.emplace(loop_->io, std::chrono::milliseconds(50));
        retry_->async_wait([this](error_code stopped) {
          if (!stopped && !stopping_) accept();
        });
        return;
      }
      if (socket && connections_.size() < loop_->options.max_connections) {
        auto connection = std::make_shared<Connection>(loop_, std::move(*socket), handler_, [this](const auto& closed) {
          connections_.erase(closed);
          end_when_idle();
        });
        connections_.insert(connection);
        connection->begin();
      }
      accept();
    });
  }

  void end_when_idle() {
    if (stopping_ && connections_.empty() && grace_) grace_->cancel();
  }

  const std::shared_ptr<Loop> loop_;
  tcp::acceptor acceptor_;
  tcp protocol_ = tcp::v4();
  const HttpHandler handler_;
  std::thread thread_;
  std::uint16_t port_ = 0;
  // On the I/O thread.
  std::set<std::shared_ptr<Connection>> connections_;
  std::optional<asio::steady_timer> grace_;
  std::optional<asio::steady_timer> retry_;
  bool stopping_ = false;
};

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::start(HttpServerOptions options, HttpHandler handler) {
  auto server = std::make_unique<Server>(std::move(options), std::move(handler));
  BERTH_CHECK(server->begin());
  return std::unique_ptr<HttpServer>(std::move(server));
}

}  // namespace berth::net
