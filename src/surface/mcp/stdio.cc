#include "surface/mcp/stdio.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "os/wait.h"
#include "surface/mcp/conversation.h"
#include "surface/mcp/protocol/line_frames.h"

namespace berth::mcp {
namespace {

/// The one writer of the output. A frame goes out whole, or the output is broken for good.
class Output final : public Outlet {
 public:
  Output(int fd, std::stop_source broken) : fd_(fd), broken_(std::move(broken)), wakeup_(broken_.get_token()) {}

  void announce(std::string frame) override { write(std::move(frame)); }

  void write(std::string frame) {
    frame += '\n';
    const std::lock_guard lock(mutex_);
    BytesView rest = frame;
    while (!rest.empty()) {
      // Somebody who does not read must not keep us when it is time to go: so wait for room first, and write no more
      // than a pipe with room takes without waiting.
      pollfd room{fd_, POLLOUT, 0};
      if (!os::poll_fds({&room, 1}, Deadline::never(), wakeup_)) return;
      const auto written = ::write(fd_, rest.data(), std::min<std::size_t>(rest.size(), 4096));
      if (written >= 0) {
        rest.remove_prefix(static_cast<std::size_t>(written));
      } else if (errno != EINTR && errno != EAGAIN) {
        broken_.request_stop();
        return;
      }
    }
  }

 private:
  const int fd_;
  std::stop_source broken_;
  std::mutex mutex_;
  os::Wakeup wakeup_;
};

class StdioReply final : public Reply {
 public:
  explicit StdioReply(std::shared_ptr<Output> output) : output_(std::move(output)) {}

  void notify(std::string frame) override { output_->write(std::move(frame)); }
  void answer(std::string frame, int /*error_code*/) override { output_->write(std::move(frame)); }
  void abandon() override {}

 private:
  const std::shared_ptr<Output> output_;
};

/// Threads take turns at reading the input. Whoever reads a request that takes a while hands the reading to another
/// thread and answers the request itself, so that the answer waits for no other thread to wake up.
class StdioServer {
 public:
  StdioServer(Service& service, const StdioOptions& options, std::stop_token stop)
      : service_(service),
        options_(options),
        on_stop_(std::move(stop), [this] { over_.request_stop(); }),
        wakeup_(over_.get_token()),
        frames_(options.max_frame_bytes),
        output_(std::make_shared<Output>(options.out, over_)),
        conversation_(Conversation::begin(service, output_)) {}

  Result<void> serve() {
    {
      std::unique_lock lock(mutex_);
      threads_.emplace_back([this] { take_turns(); });
      finished_.wait(lock, [this] { return ended_; });
    }
    conversation_->end_listening();
    if (outcome_) drain();
    conversation_->close();
    over_.request_stop();
    conversation_->wait_until_idle(Deadline::never());
    for (auto& thread : threads_) thread.join();
    return outcome_;
  }

 private:
  /// What became of the reading.
  enum class Turn { handed_over, ended };

  /// Who reads or answers; what they cannot take, the service's threads do.
  static constexpr std::size_t kMaxThreads = 8;

  void take_turns() {
    std::unique_lock lock(mutex_);
    for (;;) {
      ++waiting_;
      turn_.wait(lock, [this] { return ended_ || !reading_; });
      --waiting_;
      if (ended_) return;
      reading_ = true;
      lock.unlock();
      const auto turn = read_input();
      lock.lock();
      if (turn == Turn::ended) {
        ended_ = true;
        turn_.notify_all();
        finished_.notify_all();
        return;
      }
    }
  }

  bool hand_over() {
    const std::lock_guard lock(mutex_);
    if (waiting_ == 0) {
      if (threads_.size() >= kMaxThreads) return false;
      try {
        threads_.emplace_back([this] { take_turns(); });
      } catch (const std::system_error&) {
        return false;
      }
    }
    reading_ = false;
    turn_.notify_one();
    return true;
  }

  Turn end(Result<void> outcome) {
    outcome_ = std::move(outcome);
    return Turn::ended;
  }

  Turn read_input() {
    for (;;) {
      while (const auto frame = frames_.next()) {
        if (take(*frame) == Turn::handed_over) return Turn::handed_over;
      }
      // The output is looked at too: a client that is gone may have left its end of the input to a child.
      std::array<pollfd, 2> ends = {pollfd{options_.in, POLLIN, 0}, pollfd{options_.out, 0, 0}};
      if (auto ready = os::poll_fds(ends, Deadline::never(), wakeup_); !ready) {
        if (ready.error().code == ErrorCode::cancelled) return end({});
        return end(std::move(ready).error());
      }
      if ((ends[1].revents & (POLLERR | POLLHUP)) != 0) {
        over_.request_stop();
        return end({});
      }
      if (ends[0].revents == 0) continue;
      const auto got = ::read(options_.in, buffer_.data(), buffer_.size());
      if (got < 0) {
        if (errno == EINTR || errno == EAGAIN) continue;
        // A terminal or a socket that was closed under us says so in its own ways.
        if (errno == EIO || errno == ECONNRESET) return end({});
        return end(errno_error(errno, "read the input"));
      }
      if (got == 0) return read_rest();
      frames_.feed({buffer_.data(), static_cast<std::size_t>(got)});
    }
  }

  // A last message without its line ending counts.
  Turn read_rest() {
    if (const auto last = frames_.rest()) {
      if (take(*last) == Turn::handed_over) return Turn::handed_over;
    }
    return end({});
  }

  void drain() {
    const auto deadline = Deadline::after(options_.drain);
    while (!conversation_->wait_until_idle(Deadline::after(std::chrono::milliseconds(50)).sooner(deadline))) {
      pollfd out{options_.out, 0, 0};
      const bool gone = ::poll(&out, 1, 0) > 0 && (out.revents & (POLLERR | POLLHUP)) != 0;
      if (gone || deadline.passed() || over_.stop_requested()) return;
    }
  }

  /// After `handed_over` the input is another thread's.
  std::optional<Turn> take(const LineFrames::Frame& frame) {
    if (frame.kind == LineFrames::Frame::Kind::too_long) {
      const RpcError error{rpc::kInvalidRequest,
                           "the message is longer than a message may be",
                           {{"max_bytes", options_.max_frame_bytes}}};
      output_->write(error_frame({}, error));
      return std::nullopt;
    }
    std::optional<Turn> turn;
    auto message = parse_frame(frame.text);
    if (auto* request = std::get_if<Request>(&message)) {
      // The opening handshake is the older era's even when it names a version as the newer one does.
      const bool modern = request->method != "initialize" && version_in(request->params).has_value();
      const Era& era = modern ? static_cast<const Era&>(service_.modern()) : service_.legacy();
      auto key = dump(request->id);
      conversation_->request(std::move(*request),
                             {era, std::move(key), std::make_shared<StdioReply>(output_), [&](auto work) {
                                if (!hand_over()) return service_.workers().post(std::move(work));
                                turn = Turn::handed_over;
                                work();
                                return true;
                              }});
    } else if (const auto* notification = std::get_if<Notification>(&message)) {
      conversation_->notification(*notification);
    } else if (auto* response = std::get_if<Response>(&message)) {
      conversation_->response(std::move(*response));
    } else if (const auto* malformed = std::get_if<Malformed>(&message)) {
      output_->write(error_frame(malformed->id, malformed->error));
    }
    return turn;
  }

  Service& service_;
  const StdioOptions options_;
  std::stop_source over_;  ///< the client is gone, or we were told to stop
  std::stop_callback<std::function<void()>> on_stop_;
  // Of the thread that reads.
  os::Wakeup wakeup_;
  LineFrames frames_;
  std::array<char, 65536> buffer_{};
  const std::shared_ptr<Output> output_;
  const std::shared_ptr<Conversation> conversation_;
  std::mutex mutex_;
  std::condition_variable turn_;      ///< the reading is free
  std::condition_variable finished_;  ///< there is nothing more to read
  std::size_t waiting_ = 0;
  bool reading_ = false;
  bool ended_ = false;
  Result<void> outcome_;
  std::vector<std::thread> threads_;
};

}  // namespace

Result<void> serve_stdio(Service& service, const StdioOptions& options, std::stop_token stop) {
  const auto server = std::make_unique<StdioServer>(service, options, std::move(stop));
  return server->serve();
}

}  // namespace berth::mcp
