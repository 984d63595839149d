#include "surface/mcp/event_log.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace berth::mcp {

net::HttpResponse event_stream_head() {
  return {200, {{"Content-Type", "text/event-stream"}, {"Cache-Control", "no-cache, no-transform"}}, {}};
}

std::string event_of(std::string_view id, std::string_view message) {
  std::string event;
  event.reserve(message.size() + id.size() + 40);
  if (!id.empty()) event.append("id: ").append(id).append("\n");
  // Messages are one line of JSON.
  return event.append("event: message\ndata: ").append(message).append("\n\n");
}

std::optional<EventLog::EventId> EventLog::parse_id(std::string_view text) {
  const auto dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto number = [](std::string_view digits, std::uint64_t& into) {
    const auto* end = digits.data() + digits.size();
    const auto [rest, fault] = std::from_chars(digits.data(), end, into);
    return fault == std::errc() && rest == end && !digits.empty();
  };
  EventId id;
  if (!number(text.substr(0, dash), id.stream) || !number(text.substr(dash + 1), id.event)) return std::nullopt;
  return id;
}

std::string EventLog::id_of(std::uint64_t event) const { return std::to_string(stream_) + "-" + std::to_string(event); }

void EventLog::add(const std::string& message) {
  const std::lock_guard lock(mutex_);
  if (finished_) return;
  const auto number = ++last_;
  auto text = event_of(id_of(number), message);
  if (exchange_ && exchange_->write(text)) sent_ = number;
  bytes_ += text.size();
  events_.push_back({number, std::move(text)});
  while (events_.size() > bounds_.events || (bytes_ > bounds_.bytes && events_.size() > 1)) {
    bytes_ -= events_.front().text.size();
    events_.pop_front();
  }
}

void EventLog::finish() {
  const std::lock_guard lock(mutex_);
  finished_ = true;
  if (exchange_) exchange_->end();
}

void EventLog::attach(std::shared_ptr<net::HttpExchange> exchange, std::optional<std::uint64_t> after, FirstEvent first,
                      net::HttpResponse head) {
  const std::lock_guard lock(mutex_);
  if (exchange_) exchange_->end();
  exchange_ = std::move(exchange);
  exchange_->begin_stream(std::move(head), std::string(kSignOfLife));
  if (first == FirstEvent::empty) exchange_->write("id: " + id_of(last_) + "\ndata: \n\n");
  const auto from = after.value_or(sent_);
  for (const auto& event : events_) {
    if (event.number > from && exchange_->write(event.text)) sent_ = std::max(sent_, event.number);
  }
  if (finished_) exchange_->end();
}

void EventLog::detach(const net::HttpExchange* exchange) {
  const std::lock_guard lock(mutex_);
  if (exchange_.get() == exchange) exchange_.reset();
}

bool EventLog::attached() {
  const std::lock_guard lock(mutex_);
  return exchange_ != nullptr;
}

bool EventLog::finished() {
  const std::lock_guard lock(mutex_);
  return finished_;
}

}  // namespace berth::mcp
