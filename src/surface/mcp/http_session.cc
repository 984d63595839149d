#include "surface/mcp/http_session.h"

#include <algorithm>
#include <utility>

#include "surface/mcp/http_checks.h"

namespace berth::mcp {

/// For notifications that belong to no request.
class HttpSession::General final : public Outlet {
 public:
  explicit General(std::shared_ptr<EventLog> log) : log_(std::move(log)) {}
  void announce(std::string frame) override { log_->add(frame); }

 private:
  const std::shared_ptr<EventLog> log_;
};

/// Answers with one JSON document while nothing but the answer is to be said; becomes an event stream when a
/// notification comes first, or the answer takes its time.
class HttpSession::Reply final : public mcp::Reply, public std::enable_shared_from_this<HttpSession::Reply> {
 public:
  Reply(std::weak_ptr<HttpSession> session, std::string key, std::shared_ptr<net::HttpExchange> exchange)
      : session_(std::move(session)), key_(std::move(key)), exchange_(std::move(exchange)) {}

  void begin(std::chrono::milliseconds stream_after) {
    exchange_->on_gone([weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->gone();
    });
    exchange_->call_later(stream_after, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->become_stream();
    });
  }

  void notify(std::string frame) override {
    if (const auto log = become_stream()) log->add(frame);
  }

  void answer(std::string frame, int /*error_code*/) override {
    std::shared_ptr<EventLog> log;
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
      log = log_;
      if (!log && !gone_) exchange_->respond(json_response(200, std::move(frame)));
    }
    if (log) {
      log->add(frame);
      end(*log);
    }
  }

  void abandon() override {
    std::shared_ptr<EventLog> log;
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
      log = log_;
      if (!log && !gone_) {
        // There is no answer to a request that was taken back, but HTTP wants one.
        exchange_->begin_stream(event_stream_head(), {});
        exchange_->end();
      }
    }
    if (log) end(*log);
  }

 private:
  std::shared_ptr<EventLog> become_stream() {
    const std::lock_guard lock(mutex_);
    if (log_ || ended_ || gone_) return log_;
    const auto session = session_.lock();
    if (!session) return nullptr;
    log_ = session->open_stream(key_);
    const auto version = session->conversation().version().value_or("");
    // Clients before 2025-11-25 read every event as a message.
    session->attach(log_, key_, exchange_, std::nullopt,
                    version >= "2025-11-25" ? EventLog::FirstEvent::empty : EventLog::FirstEvent::none);
    return log_;
  }

  void end(EventLog& log) {
    log.finish();
    if (const auto session = session_.lock()) session->stream_ended();
  }

  // Before there was a stream: nothing is there to come back to.
  void gone() {
    {
      const std::lock_guard lock(mutex_);
      if (log_ || ended_) return;
      gone_ = true;
    }
    if (const auto session = session_.lock()) session->conversation().cancel(key_);
  }

  const std::weak_ptr<HttpSession> session_;
  const std::string key_;
  const std::shared_ptr<net::HttpExchange> exchange_;
  std::mutex mutex_;
  std::shared_ptr<EventLog> log_;
  bool ended_ = false;
  bool gone_ = false;
};

std::shared_ptr<HttpSession> HttpSession::begin(Service& service, std::string id, Options options) {
  return std::shared_ptr<HttpSession>(new HttpSession(service, std::move(id), options));
}

HttpSession::HttpSession(Service& service, std::string id, Options options)
    : id_(std::move(id)),
      options_(options),
      general_(std::make_shared<EventLog>(0, options.events)),
      conversation_(Conversation::begin(service, std::make_shared<General>(general_))) {
  touch();
}

bool HttpSession::idle() { return conversation_->at_work() == 0 && !general_->attached(); }

void HttpSession::request(Request request, std::shared_ptr<net::HttpExchange> exchange) {
  touch();
  const auto key = dump(request.id);
  auto reply = std::make_shared<Reply>(weak_from_this(), key, std::move(exchange));
  reply->begin(options_.stream_after);
  conversation_->request(std::move(request), {conversation_->service().legacy(), key, reply});
}

void HttpSession::stream(const net::HttpRequest& request, std::shared_ptr<net::HttpExchange> exchange) {
  touch();
  const auto seen = request.header("Last-Event-ID");
  if (!seen) return attach(general_, {}, exchange, std::nullopt, EventLog::FirstEvent::none);
  const auto id = EventLog::parse_id(*seen);
  std::shared_ptr<EventLog> log;
  std::string key;
  if (id && id->stream == 0) {
    log = general_;
  } else if (id) {
    const std::lock_guard lock(mutex_);
    if (const auto found = streams_.find(id->stream); found != streams_.end()) {
      log = found->second.log;
      key = found->second.key;
    }
  }
  if (!log) {
    return exchange->respond(refusal(400, rpc::kInvalidRequest, "Last-Event-ID names no stream that is still kept"));
  }
  attach(log, key, exchange, id->event, EventLog::FirstEvent::none);
}

void HttpSession::close() {
  conversation_->close();
  general_->finish();
  const std::lock_guard lock(mutex_);
  for (auto& [number, stream] : streams_) stream.log->finish();
}

std::shared_ptr<EventLog> HttpSession::open_stream(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto number = ++last_stream_;
  auto log = std::make_shared<EventLog>(number, options_.events);
  streams_.emplace(number, Stream{log, key});
  return log;
}

void HttpSession::stream_ended() {
  const std::lock_guard lock(mutex_);
  auto ended = static_cast<std::size_t>(
      std::count_if(streams_.begin(), streams_.end(), [](auto& stream) { return stream.second.log->finished(); }));
  for (auto at = streams_.begin(); at != streams_.end() && ended > options_.kept_streams;) {
    if (at->second.log->finished()) {
      at = streams_.erase(at);
      --ended;
    } else {
      ++at;
    }
  }
}

void HttpSession::attach(const std::shared_ptr<EventLog>& log, const std::string& key,
                         const std::shared_ptr<net::HttpExchange>& exchange, std::optional<std::uint64_t> after,
                         EventLog::FirstEvent first) {
  log->attach(exchange, after, first, event_stream_head());
  exchange->on_gone(
      [weak = weak_from_this(), log, key, raw = std::weak_ptr(exchange), within = options_.resume_within] {
        const auto gone = raw.lock();
        if (!gone) return;
        log->detach(gone.get());
        if (key.empty()) return;
        gone->call_later(within, [weak, log, key] {
          const auto self = weak.lock();
          if (!self || log->attached() || log->finished()) return;
          self->conversation_->cancel(key);
        });
      });
}

}  // namespace berth::mcp
