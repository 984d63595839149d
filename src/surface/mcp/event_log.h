#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "net/http_server.h"

namespace berth::mcp {

/// An event stream that outlives its connections: what was sent last is kept, so that a client that was cut off goes
/// on where it was. Bounded; what is older is forgotten. Safe from many threads.
class EventLog {
 public:
  struct Bounds {
    std::size_t events = 1000;
    std::size_t bytes = std::size_t{8} * 1024 * 1024;
  };

  EventLog(std::uint64_t stream, Bounds bounds) : stream_(stream), bounds_(bounds) {}

  /// `STREAM-EVENT`, as the client sends back what it saw last.
  struct EventId {
    std::uint64_t stream = 0;
    std::uint64_t event = 0;
  };
  static std::optional<EventId> parse_id(std::string_view text);

  /// Send a message, now or when somebody comes for it.
  void add(const std::string& message);
  /// No more messages; the connection is closed once it has them all.
  void finish();
  /// Answer with this stream: what came after `after`, or what was never sent, and from now on everything. An earlier
  /// connection is closed. `first_event`: begin with an event without data, so that the client knows where it is.
  enum class FirstEvent { none, empty };
  void attach(std::shared_ptr<net::HttpExchange> exchange, std::optional<std::uint64_t> after, FirstEvent first,
              net::HttpResponse head);
  /// That connection is gone.
  void detach(const net::HttpExchange* exchange);

  bool attached();
  bool finished();
  std::uint64_t stream() const noexcept { return stream_; }

 private:
  struct Event {
    std::uint64_t number;
    std::string text;
  };

  std::string id_of(std::uint64_t event) const;

  const std::uint64_t stream_;
  const Bounds bounds_;
  std::mutex mutex_;
  std::deque<Event> events_;
  std::size_t bytes_ = 0;
  std::uint64_t last_ = 0;
  std::uint64_t sent_ = 0;
  bool finished_ = false;
  std::shared_ptr<net::HttpExchange> exchange_;
};

/// The head of every event stream.
net::HttpResponse event_stream_head();
/// A message as one event; `id` may be empty.
std::string event_of(std::string_view id, std::string_view message);
/// Sent while there is nothing to say.
inline constexpr std::string_view kSignOfLife = ":\n\n";

}  // namespace berth::mcp
