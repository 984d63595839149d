#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/call.h"
#include "contract/capabilities.h"
#include "guest/protocol/frame.h"
#include "guest/protocol/hello.h"
#include "guest/protocol/message.h"
#include "guest/protocol/operations.h"
#include "os/fd.h"
#include "os/wait.h"

namespace berth::guest {

/// A stream of bytes to a guest and back: two pipes, or twice the same socket. They become non-blocking.
struct Channel {
  os::Fd in;   ///< what the guest sends
  os::Fd out;  ///< what it reads
  /// Kept until both are closed: the process or the connection that serves them.
  std::shared_ptr<void> transport;
};

/// The client's side of a connection. Any number of threads ask at once; there is no thread of its own: of the threads
/// that wait, one reads for all.
///
/// A connection breaks once and for all: when the guest ends, `environment_gone` with the field `reason`; when it says
/// what no guest would, `protocol`. Every call at work fails with that at once, and every later one.
class Connection final {
 public:
  /// Greet the guest and wait for its greeting. Errors: `protocol` with `their_versions` when it is of another version.
  static Result<std::shared_ptr<Connection>> open(const Call& call, Channel channel);

  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// What is asked, and who hears of it meanwhile. Nothing is owned.
  struct Request {
    Method method = Method::ensure;
    std::uint8_t flags = 0;  ///< of RequestHead
    BytesView message;
    OutputSink* sink = nullptr;
    const PathFilter* filter = nullptr;
    std::chrono::milliseconds cancel_patience{1000};  ///< for the answer after a stop
  };
  struct Answer {
    bool is_error = false;
    Bytes message;
  };

  /// Ask, and wait for the answer. The guest is told the deadline and the stop, and answers for itself how far it got;
  /// no answer 40 ms after the deadline is `timed_out`, none for `cancel_patience` after a stop is `cancelled`. Then it
  /// is not known what became of the request. `sink` and `filter` are called on this thread, which may ask again.
  Result<Answer> exchange(const Call& call, const Request& request);

 private:
  struct Stream;
  class Entry;

  explicit Connection(Channel channel);
  Result<void> greet(const Call& call);

  // All with mutex_ held.
  Result<std::unique_ptr<Stream>> take_stream();
  template <typename Ready>
  Result<void> wait(std::unique_lock<std::mutex>& lock, Stream& stream, const Deadline& deadline,
                    const os::Wakeup& wakeup, Ready ready);
  Result<void> lead(std::unique_lock<std::mutex>& lock, Stream& stream, const Deadline& deadline,
                    const os::Wakeup& wakeup);
  Result<void> follow(std::unique_lock<std::mutex>& lock, Stream& stream, const Deadline& deadline,
                      const os::Wakeup& wakeup);
  void pass_lead();
  void send(FrameKind kind, std::uint8_t flags, std::uint64_t stream, BytesView first, BytesView second = {},
            BytesView third = {});
  void send_some(Stream& stream, const Request& request, const Deadline& deadline);
  bool can_send(const Stream& stream) const noexcept;
  void flush();
  void receive();
  Result<void> on_frame(const Frame& frame);
  Result<void> on_message(Stream& stream, const Frame& frame, BytesView chunk);
  void give_credit(Stream& stream);
  void hear(std::unique_lock<std::mutex>& lock, Stream& stream, const Request& request);
  void break_off(Error why);

  const std::shared_ptr<void> transport_;  ///< closed last
  os::Fd in_;
  os::Fd out_;
  const bool out_is_socket_;
  const std::unique_ptr<char[]> buffer_;

  std::mutex mutex_;  ///< guards what follows, and reading and writing
  FrameParser parser_;
  Bytes unsent_;
  std::optional<Hello> hello_;
  std::optional<Error> broken_;
  std::uint64_t next_stream_ = 1;
  std::map<std::uint64_t, Stream*> streams_;
  Stream* leader_ = nullptr;        ///< whose thread reads
  std::vector<Stream*> followers_;  ///< whose threads wait to be told
  std::vector<std::unique_ptr<Stream>> spare_;
};

}  // namespace berth::guest
