#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string_view>

#include "base/call.h"
#include "contract/capabilities.h"
#include "guest/protocol/frame.h"
#include "guest/protocol/message.h"

namespace berth::guest {

/// Where frames go. Any thread may send; frames are written whole, one after the other.
class Wire {
 public:
  virtual ~Wire() = default;
  /// Write whole frames. Nothing is said when the stream is broken: its reader finds out.
  virtual void send(BytesView frames) = 0;
};

/// One call that a client has made, from its first frame to the end of its answer.
///
/// The reading thread fills it, the thread that serves it sends with it; both through its own lock.
class ServedCall final {
 public:
  ServedCall(Wire& wire, std::uint64_t stream, const RequestHead& head, std::uint32_t window);

  const RequestHead& head() const noexcept { return head_; }
  std::uint64_t stream() const noexcept { return stream_; }
  /// The deadline that the client gave, from the arrival of its first frame, and a stop that `cancel` requests.
  Call call() const { return {deadline_, stop_.get_token(), {}}; }

  // For the reading thread.
  Inbox& inbox() noexcept { return inbox_; }
  Result<void> grant(std::uint64_t bytes);
  /// Stop the call; `abandoned`: nothing more is sent.
  void cancel(bool abandoned);
  Result<void> decide(std::uint64_t question, bool leaves_out);

  // For the threads that serve.
  /// Send the answer, in as many frames as it takes, waiting for the client to take them. `status` is 0 or 1.
  void respond(std::uint8_t status, BytesView message);
  /// Send output of a command. What the client did not take until the deadline or the stop is let go.
  void send_output(OutputSink::Stream stream, BytesView bytes, const Deadline& limit);
  /// Ask the client's filter. Yes when no answer comes before the call ends.
  bool ask(std::string_view path);

 private:
  /// Wait until bytes may be sent; how many, 0 when that is not worth waiting for any more.
  std::size_t room(std::unique_lock<std::mutex>& lock, std::optional<Deadline> limit);

  Wire& wire_;
  const std::uint64_t stream_;
  const RequestHead head_;
  const Deadline deadline_;
  Inbox inbox_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::stop_source stop_;
  Outbox outbox_;
  bool abandoned_ = false;
  std::uint64_t next_question_ = 1;
  std::map<std::uint64_t, std::optional<bool>> questions_;
};

/// A command's output on its way to the client.
class RemoteSink final : public OutputSink {
 public:
  RemoteSink(ServedCall& call, const Deadline& limit) : call_(call), limit_(limit) {}
  void write(Stream stream, BytesView bytes) override { call_.send_output(stream, bytes, limit_); }

 private:
  ServedCall& call_;
  const Deadline limit_;
};

/// A filter that only the client has.
class RemoteFilter final : public PathFilter {
 public:
  explicit RemoteFilter(ServedCall& call) : call_(call) {}
  bool leaves_out(std::string_view path) const override { return call_.ask(path); }

 private:
  ServedCall& call_;
};

}  // namespace berth::guest
