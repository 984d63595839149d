#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "base/result.h"
#include "guest/protocol/hello.h"

namespace berth::guest {

/// One direction of one stream, as its receiver sees it: puts the message together, counts, and says when its sender
/// may send more. Not safe from several threads at once.
class Inbox final {
 public:
  /// Take bytes of the message that belong to the frames so far. `protocol`: more than was granted, or than a message
  /// may have.
  Result<void> add(BytesView chunk);
  /// Count bytes that belong to no message and are kept elsewhere (a command's output), until `release`.
  Result<void> hold(std::size_t bytes);
  void release(std::size_t bytes) noexcept { taken_ += static_cast<std::uint32_t>(bytes); }
  /// The end of the message: `protocol` unless the sender counted what arrived.
  Result<void> finish(std::uint64_t count);
  bool is_finished() const noexcept { return finished_; }

  /// How much to grant now: 0 until it is worth a frame.
  std::uint32_t take_credit() noexcept;
  Bytes take_message() { return std::move(message_); }

 private:
  Result<void> count(std::size_t bytes);

  Bytes message_;
  std::uint64_t received_ = 0;
  std::uint32_t open_ = kWindow;  ///< granted and not used
  std::uint32_t taken_ = 0;       ///< used up, and not granted again
  bool finished_ = false;
};

/// The same direction as its sender sees it.
class Outbox final {
 public:
  explicit Outbox(std::uint32_t window) : open_(window) {}

  /// How many bytes may be sent now.
  std::uint64_t open() const noexcept { return open_; }
  void sent(std::size_t bytes) noexcept {
    open_ -= bytes;
    sent_ += bytes;
  }
  /// Add what the receiver granted. `protocol` when it grants more than it ever got.
  Result<void> grant(std::uint64_t bytes);
  /// What the end of the message carries.
  std::uint64_t count() const noexcept { return sent_; }

 private:
  std::uint64_t open_;
  std::uint64_t sent_ = 0;
  std::uint64_t granted_ = 0;
};

}  // namespace berth::guest
