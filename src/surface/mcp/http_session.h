#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/call.h"
#include "surface/mcp/conversation.h"
#include "surface/mcp/event_log.h"

namespace berth::mcp {

/// What a client of the older era holds by its session id: a conversation, and the event streams it can come back to.
/// Safe from many threads; held by shared_ptr.
class HttpSession final : public std::enable_shared_from_this<HttpSession> {
 public:
  struct Options {
    /// When an answer that is not there yet becomes an event stream.
    std::chrono::milliseconds stream_after{2000};
    /// How long a call goes on, and an answer is kept, for a client that was cut off.
    std::chrono::milliseconds resume_within{60'000};
    EventLog::Bounds events;
    std::size_t kept_streams = 32;  ///< that have ended
  };

  static std::shared_ptr<HttpSession> begin(Service& service, std::string id, Options options);

  const std::string& id() const noexcept { return id_; }
  Conversation& conversation() noexcept { return *conversation_; }
  /// When it was last asked for something.
  void touch() noexcept { touched_ = Clock::now().time_since_epoch().count(); }
  Clock::time_point touched() const noexcept { return Clock::time_point(Clock::duration(touched_.load())); }
  bool idle();

  /// Answer a POST with what comes of a request.
  void request(Request request, std::shared_ptr<net::HttpExchange> exchange);
  /// Answer a GET: a stream to go on with, or the one for what belongs to no request.
  void stream(const net::HttpRequest& request, std::shared_ptr<net::HttpExchange> exchange);
  /// End it: calls are stopped, streams closed.
  void close();

 private:
  class Reply;
  class General;

  HttpSession(Service& service, std::string id, Options options);

  std::shared_ptr<EventLog> open_stream(const std::string& key);
  void stream_ended();
  void attach(const std::shared_ptr<EventLog>& log, const std::string& key,
              const std::shared_ptr<net::HttpExchange>& exchange, std::optional<std::uint64_t> after,
              EventLog::FirstEvent first);

  const std::string id_;
  const Options options_;
  const std::shared_ptr<EventLog> general_;
  const std::shared_ptr<Conversation> conversation_;
  std::atomic<Clock::rep> touched_{0};
  std::mutex mutex_;
  std::uint64_t last_stream_ = 0;
  struct Stream {
    std::shared_ptr<EventLog> log;
    std::string key;  ///< of its request
  };
  std::map<std::uint64_t, Stream> streams_;
};

}  // namespace berth::mcp
