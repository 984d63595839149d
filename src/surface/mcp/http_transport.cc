#include "surface/mcp/http_transport.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "surface/mcp/random_id.h"

namespace berth::mcp {
namespace {

constexpr std::size_t kParsedAtOnce = std::size_t{64} * 1024;
constexpr std::chrono::milliseconds kStopGrace{1000};

/// What a client of the newer era says of itself, as one key.
std::string client_of(const net::HttpRequest& request, const Request& message) {
  static constexpr std::array kHeaders = {"Berth-Conversation", "Authorization", "User-Agent", "Origin"};
  Json said = Json::array();
  for (const char* name : kHeaders) {
    const auto value = request.header(name);
    said.push_back(value ? Json(*value) : Json());
  }
  const Json* meta = meta_of(message.params);
  if (meta != nullptr && meta->is_object()) said.push_back(meta->value(std::string(meta::kClientInfo), Json()));
  return to_hex(sha256(dump(said)));
}

/// The conversations of the newer era, by client. Safe from many threads.
class Clients {
 public:
  Clients(Service& service, std::size_t most) : service_(service), most_(most) {}

  /// Null after `close_all`.
  std::shared_ptr<Conversation> of(const std::string& client) {
    const std::lock_guard lock(mutex_);
    if (closed_) return nullptr;
    auto& known = clients_[client];
    known.turn = ++turn_;
    if (!known.conversation) {
      known.conversation = Conversation::begin(service_, nullptr);
      make_room(client);
    }
    return known.conversation;
  }

  std::vector<std::shared_ptr<Conversation>> close_all() {
    std::vector<std::shared_ptr<Conversation>> all;
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
      for (const auto& [key, client] : clients_) all.push_back(client.conversation);
      for (const auto& one : forgotten_) {
        if (auto conversation = one.lock()) all.push_back(std::move(conversation));
      }
      clients_.clear();
    }
    for (const auto& conversation : all) conversation->close();
    return all;
  }

 private:
  struct Client {
    std::shared_ptr<Conversation> conversation;
    std::uint64_t turn = 0;  ///< when it last asked for something
  };

  void make_room(const std::string& newest) {
    if (clients_.size() <= most_) return;
    auto oldest = clients_.end();
    for (auto at = clients_.begin(); at != clients_.end(); ++at) {
      if (at->first == newest || at->second.conversation->at_work() > 0) continue;
      if (oldest == clients_.end() || at->second.turn < oldest->second.turn) oldest = at;
    }
    if (oldest == clients_.end()) return;
    // A request may be on its way to it: it must be found when everything ends.
    std::erase_if(forgotten_, [](const auto& one) { return one.expired(); });
    forgotten_.push_back(oldest->second.conversation);
    clients_.erase(oldest);
  }

  Service& service_;
  const std::size_t most_;
  std::mutex mutex_;
  bool closed_ = false;
  std::uint64_t turn_ = 0;
  std::map<std::string, Client> clients_;
  std::vector<std::weak_ptr<Conversation>> forgotten_;
};

/// The answer to a request of the newer era: when its client goes, so does the call.
class ModernReply final : public Reply, public std::enable_shared_from_this<ModernReply> {
 public:
  explicit ModernReply(std::shared_ptr<net::HttpExchange> exchange) : exchange_(std::move(exchange)) {}

  void begin(const std::shared_ptr<Conversation>& conversation, const std::string& key,
             std::chrono::milliseconds stream_after) {
    exchange_->on_gone([conversation, key] { conversation->cancel(key); });
    exchange_->call_later(stream_after, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->become_stream();
    });
  }

  void notify(std::string frame) override {
    become_stream();
    exchange_->write(event_of({}, frame));
  }

  void answer(std::string frame, int error_code) override {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    if (streaming_) {
      exchange_->write(event_of({}, frame));
      exchange_->end();
    } else {
      exchange_->respond(json_response(error_code == 0 ? 200 : http_status_of(error_code), std::move(frame)));
    }
  }

  void abandon() override {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    if (!streaming_) exchange_->begin_stream(event_stream_head(), {});
    exchange_->end();
  }

 private:
  void become_stream() {
    const std::lock_guard lock(mutex_);
    if (streaming_ || ended_) return;
    streaming_ = true;
    exchange_->begin_stream(event_stream_head(), std::string(kSignOfLife));
  }

  const std::shared_ptr<net::HttpExchange> exchange_;
  std::mutex mutex_;
  bool streaming_ = false;
  bool ended_ = false;
};

/// Answers `initialize`, which is answered at once, and names the session if it was opened.
class OpeningReply final : public Reply {
 public:
  OpeningReply(std::shared_ptr<net::HttpExchange> exchange, std::string session_id)
      : exchange_(std::move(exchange)), session_id_(std::move(session_id)) {}

  void notify(std::string /*frame*/) override {}
  void answer(std::string frame, int error_code) override {
    opened = error_code == 0;
    auto response = json_response(opened ? 200 : 400, std::move(frame));
    if (opened) response.headers.push_back({"Mcp-Session-Id", session_id_});
    exchange_->respond(std::move(response));
  }
  void abandon() override { exchange_->respond(refusal(503, rpc::kInvalidRequest, "the server is about to end")); }

  bool opened = false;

 private:
  const std::shared_ptr<net::HttpExchange> exchange_;
  const std::string session_id_;
};

class Transport final : public HttpTransport {
 public:
  Transport(Service& service, HttpOptions options)
      : service_(service), options_(std::move(options)), clients_(service, options_.max_clients) {}
  ~Transport() override { stop(); }

  Result<void> begin() {
    BERTH_TRY(server_, net::HttpServer::start(options_.server, [this](auto request, auto exchange) {
                take(std::move(request), std::move(exchange));
              }));
    return {};
  }

  std::uint16_t port() const noexcept override { return server_->port(); }

  void stop() override {
    if (!server_) return;
    std::vector<std::shared_ptr<HttpSession>> sessions;
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      for (const auto& [id, session] : sessions_) sessions.push_back(session);
      sessions_.clear();
    }
    const auto conversations = clients_.close_all();
    for (const auto& session : sessions) session->close();
    for (const auto& conversation : conversations) conversation->wait_until_idle(Deadline::after(kStopGrace));
    for (const auto& session : sessions) session->conversation().wait_until_idle(Deadline::after(kStopGrace));
    server_->stop(kStopGrace);
    // Nothing more is taken now; what workers still read uses this object.
    {
      std::unique_lock lock(mutex_);
      read_.wait(lock, [this] { return being_read_ == 0; });
    }
    server_.reset();
  }

 private:
  using Exchange = std::shared_ptr<net::HttpExchange>;

  void take(net::HttpRequest request, Exchange exchange) {
    if (auto refused = refused_at_gate(options_.gate, request)) return exchange->respond(std::move(*refused));
    const bool modern = names_modern_version(request);
    if (request.method == "POST") {
      if (auto refused = refused_media(request)) return exchange->respond(std::move(*refused));
      if (request.body.size() <= kParsedAtOnce) return post(request, exchange);
      // Reading a large message takes a while, in which others would wait.
      auto held = std::make_shared<net::HttpRequest>(std::move(request));
      {
        const std::lock_guard lock(mutex_);
        ++being_read_;
      }
      const bool posted = service_.workers().post([this, held, exchange] {
        post(*held, exchange);
        was_read();
      });
      if (!posted) {
        was_read();
        exchange->respond(refusal(503, rpc::kOverloaded, "too many requests are waiting; ask again later"));
      }
      return;
    }
    if (modern || (request.method != "GET" && request.method != "DELETE")) {
      auto response = refusal(405, rpc::kInvalidRequest, "this method is not offered");
      response.headers.push_back({"Allow", modern ? "POST" : "GET, POST, DELETE"});
      return exchange->respond(std::move(response));
    }
    const auto session = session_of(request, *exchange);
    if (!session) return;
    if (request.method == "DELETE") return end_session(session, *exchange);
    const auto accepted = request.header("Accept").value_or("");
    if (accepted.find("text/event-stream") == std::string_view::npos &&
        accepted.find("*/*") == std::string_view::npos) {
      return exchange->respond(refusal(406, rpc::kInvalidRequest, "Accept must name text/event-stream"));
    }
    session->stream(request, std::move(exchange));
  }

  // The last thing a worker does here: told under the lock, so that whoever waits cannot be gone before.
  void was_read() {
    const std::lock_guard lock(mutex_);
    --being_read_;
    read_.notify_all();
  }

  void post(const net::HttpRequest& request, const Exchange& exchange) {
    auto message = parse_frame(request.body);
    if (const auto* malformed = std::get_if<Malformed>(&message)) {
      return exchange->respond(json_response(400, error_frame(malformed->id, malformed->error)));
    }
    auto* asked = std::get_if<Request>(&message);
    // A message that names its version speaks the newer way, also where the header is missing: that is its mistake.
    const bool modern =
        names_modern_version(request) || (asked != nullptr && asked->method != "initialize" &&
                                          version_in(asked->params).has_value() && !request.header("Mcp-Session-Id"));
    if (modern) {
      if (asked == nullptr) return exchange->respond({202, {}, {}});
      return modern_request(request, std::move(*asked), exchange);
    }
    if (asked != nullptr && asked->method == "initialize") return open_session(std::move(*asked), exchange);
    const auto session = session_of(request, *exchange);
    if (!session) return;
    if (asked != nullptr) return session->request(std::move(*asked), exchange);
    session->touch();
    if (const auto* notification = std::get_if<Notification>(&message)) {
      session->conversation().notification(*notification);
    } else if (auto* response = std::get_if<Response>(&message)) {
      session->conversation().response(std::move(*response));
    }
    exchange->respond({202, {}, {}});
  }

  void modern_request(const net::HttpRequest& request, Request message, const Exchange& exchange) {
    const auto refuse = [&](const RpcError& error) {
      exchange->respond(json_response(http_status_of(error.code), error_frame(message.id, error)));
    };
    const auto admitted = service_.modern().admit(message.params);
    const auto* error = std::get_if<RpcError>(&admitted);
    if (error != nullptr && error->code != rpc::kUnsupportedVersion) return refuse(*error);
    if (const auto mismatch = header_mismatch(request, message)) return refuse(*mismatch);
    if (error != nullptr) return refuse(*error);
    const auto conversation = clients_.of(client_of(request, message));
    if (!conversation) return exchange->respond(refusal(503, rpc::kOverloaded, "the server is about to end"));
    const auto key = std::to_string(++last_request_);
    auto reply = std::make_shared<ModernReply>(exchange);
    reply->begin(conversation, key, options_.session.stream_after);
    conversation->request(std::move(message), {service_.modern(), key, reply});
  }

  void open_session(Request request, const Exchange& exchange) {
    auto id = random_id();
    if (!id || !make_room()) {
      return exchange->respond(refusal(503, rpc::kOverloaded, "there are as many sessions as there may be"));
    }
    auto session = HttpSession::begin(service_, *id, options_.session);
    // Known before the client hears of it.
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return exchange->respond(refusal(503, rpc::kOverloaded, "the server is about to end"));
      sessions_.emplace(*id, session);
    }
    auto key = dump(request.id);
    const auto reply = std::make_shared<OpeningReply>(exchange, *id);
    session->conversation().request(std::move(request), {service_.legacy(), std::move(key), reply});
    if (reply->opened) return;
    const std::lock_guard lock(mutex_);
    sessions_.erase(*id);
  }

  // Ends the session that was idle for longest, when there are too many.
  bool make_room() {
    std::shared_ptr<HttpSession> oldest;
    {
      const std::lock_guard lock(mutex_);
      if (sessions_.size() < options_.max_sessions) return true;
      for (const auto& [id, session] : sessions_) {
        if (session->idle() && (!oldest || session->touched() < oldest->touched())) oldest = session;
      }
      if (!oldest || Clock::now() - oldest->touched() < options_.session_idle) return false;
      sessions_.erase(oldest->id());
    }
    oldest->close();
    return true;
  }

  std::shared_ptr<HttpSession> session_of(const net::HttpRequest& request, net::HttpExchange& exchange) {
    const auto id = request.header("Mcp-Session-Id");
    if (!id) {
      exchange.respond(refusal(400, rpc::kInvalidRequest, "Mcp-Session-Id is missing: open a session by `initialize`"));
      return nullptr;
    }
    const std::lock_guard lock(mutex_);
    const auto found = sessions_.find(std::string(*id));
    if (found != sessions_.end()) return found->second;
    exchange.respond(refusal(404, rpc::kInvalidRequest, "there is no such session, or not any more"));
    return nullptr;
  }

  void end_session(const std::shared_ptr<HttpSession>& session, net::HttpExchange& exchange) {
    {
      const std::lock_guard lock(mutex_);
      sessions_.erase(session->id());
    }
    session->close();
    exchange.respond({204, {}, {}});
  }

  Service& service_;
  const HttpOptions options_;
  Clients clients_;
  std::atomic<std::uint64_t> last_request_{0};
  std::mutex mutex_;
  std::condition_variable read_;
  std::size_t being_read_ = 0;  ///< large messages, by workers
  bool stopping_ = false;
  std::map<std::string, std::shared_ptr<HttpSession>> sessions_;
  std::unique_ptr<net::HttpServer> server_;
};

}  // namespace

Result<std::unique_ptr<HttpTransport>> HttpTransport::start(Service& service, HttpOptions options) {
  auto transport = std::make_unique<Transport>(service, std::move(options));
  BERTH_CHECK(transport->begin());
  return std::unique_ptr<HttpTransport>(std::move(transport));
}

}  // namespace berth::mcp
