#include "guest/protocol/message.h"

#include <utility>

#include "guest/protocol/frame.h"

namespace berth::guest {

Result<void> Inbox::count(std::size_t bytes) {
  if (bytes > open_) return broken_protocol("more bytes came than were asked for");
  open_ -= static_cast<std::uint32_t>(bytes);
  received_ += bytes;
  return {};
}

Result<void> Inbox::add(BytesView chunk) {
  BERTH_CHECK(count(chunk.size()));
  if (message_.size() + chunk.size() > kMessageBytes)
    return broken_protocol("a message is longer than messages may be");
  message_ += chunk;
  taken_ += static_cast<std::uint32_t>(chunk.size());
  return {};
}

Result<void> Inbox::hold(std::size_t bytes) { return count(bytes); }

Result<void> Inbox::finish(std::uint64_t count) {
  finished_ = true;
  if (count == received_) return {};
  return broken_protocol("bytes were lost on the way");
}

std::uint32_t Inbox::take_credit() noexcept {
  if (taken_ < kWindow / 4) return 0;
  open_ += taken_;
  return std::exchange(taken_, 0);
}

Result<void> Outbox::grant(std::uint64_t bytes) {
  granted_ += bytes;
  if (granted_ > sent_) return broken_protocol("more bytes were granted than were sent");
  open_ += bytes;
  return {};
}

}  // namespace berth::guest
