#include "guest/client/connection.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "engine/commands/no_sigpipe.h"

namespace berth::guest {
namespace {

constexpr std::size_t kReadBytes = 256 * 1024;
constexpr int kReadsAtOnce = 4;
/// Held back for a guest that does not read, over all calls, but for the little that must not wait.
constexpr std::size_t kUnsentBytes = 512 * 1024;
constexpr std::size_t kSpareStreams = 32;
constexpr std::size_t kQuestions = 256;
/// What a call may spend after its deadline, less what returning costs (C-VAL-2 allows 50 ms).
constexpr std::chrono::milliseconds kAfterDeadline{40};

bool is_socket(int fd) {
  struct stat facts {};
  return ::fstat(fd, &facts) == 0 && S_ISSOCK(facts.st_mode);
}

Deadline after(const Deadline& deadline, std::chrono::nanoseconds patience) {
  if (deadline.is_never() || deadline.when() > Clock::time_point::max() - patience) return Deadline::never();
  return Deadline::at(deadline.when() + patience);
}

/// How long the guest may take: less than there is, so that what the engine answers in its last moment, 40 ms after the
/// deadline that it knows of, still arrives.
std::uint64_t nanoseconds_to(const Deadline& deadline) {
  constexpr std::chrono::nanoseconds kWay = std::chrono::milliseconds(15);
  if (deadline.is_never()) return RequestHead::kNever;
  const auto left = deadline.remaining();
  return static_cast<std::uint64_t>((left - std::min(kWay, left / 8)).count());
}

Error gone(std::string reason) {
  return make_error(ErrorCode::environment_gone, "the guest that served this environment has ended")
      .with("reason", std::move(reason));
}

}  // namespace

/// One call, and how its thread is woken.
struct Connection::Stream {
  os::Fd event;
  std::uint64_t number = 0;  ///< 0: not open yet
  Inbox inbox;
  Outbox outbox{0};
  bool begun = false;  ///< the guest knows of it
  std::size_t message_sent = 0;
  bool request_sent = false;
  std::optional<bool> is_error;
  std::vector<std::pair<OutputSink::Stream, Bytes>> output;
  std::vector<std::pair<std::uint64_t, Bytes>> questions;
  bool answered = false;

  bool has_news() const noexcept { return answered || !output.empty() || !questions.empty(); }
  void wake() const { ::eventfd_write(event.get(), 1); }
  void calm() const {
    eventfd_t count = 0;
    ::eventfd_read(event.get(), &count);
  }
  void reset() {
    os::Fd kept = std::move(event);
    *this = Stream();
    event = std::move(kept);
  }
};

/// Takes a stream for the time of a call, and leaves nothing of it behind.
class Connection::Entry final {
 public:
  Entry(Connection& connection, std::unique_lock<std::mutex>& lock, std::unique_ptr<Stream> stream)
      : connection_(connection), lock_(lock), stream_(std::move(stream)) {}
  ~Entry() {
    if (!lock_.owns_lock()) lock_.lock();
    if (stream_->number != 0) connection_.streams_.erase(stream_->number);
    // Somebody may wait for room.
    if (!connection_.followers_.empty()) connection_.followers_.front()->wake();
    stream_->reset();
    if (connection_.spare_.size() < kSpareStreams) connection_.spare_.push_back(std::move(stream_));
  }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;

  Stream& stream() const noexcept { return *stream_; }

 private:
  Connection& connection_;
  std::unique_lock<std::mutex>& lock_;
  std::unique_ptr<Stream> stream_;
};

Connection::Connection(Channel channel)
    : transport_(std::move(channel.transport)),
      in_(std::move(channel.in)),
      out_(std::move(channel.out)),
      out_is_socket_(is_socket(out_.get())),
      buffer_(std::make_unique_for_overwrite<char[]>(kReadBytes)) {}

Connection::~Connection() = default;

Result<std::shared_ptr<Connection>> Connection::open(const Call& call, Channel channel) {
  for (const os::Fd* fd : {&channel.in, &channel.out}) {
    const int flags = ::fcntl(fd->get(), F_GETFL);
    if (flags < 0 || ::fcntl(fd->get(), F_SETFL, flags | O_NONBLOCK) != 0) {
      return errno_error(errno, "prepare the guest's stream");
    }
  }
  std::shared_ptr<Connection> connection(new Connection(std::move(channel)));
  BERTH_CHECK(connection->greet(call));
  return connection;
}

Result<void> Connection::greet(const Call& call) {
  BERTH_CHECK(call.check());
  const os::Wakeup wakeup(call.stop);
  std::unique_lock lock(mutex_);
  BERTH_TRY(auto stream, take_stream());
  const Entry entry(*this, lock, std::move(stream));
  send(FrameKind::hello, 0, 0, encode_hello({}));
  BERTH_CHECK(wait(lock, entry.stream(), call.deadline, wakeup, [this] { return hello_.has_value(); }));
  if (broken_) return *broken_;
  return {};
}

Result<std::unique_ptr<Connection::Stream>> Connection::take_stream() {
  if (!spare_.empty()) {
    auto stream = std::move(spare_.back());
    spare_.pop_back();
    stream->calm();
    return stream;
  }
  auto stream = std::make_unique<Stream>();
  stream->event.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!stream->event) {
    return make_error(ErrorCode::unavailable, "no descriptor is left to wait for the guest")
        .with("errno", std::int64_t{errno});
  }
  return stream;
}

Result<Connection::Answer> Connection::exchange(const Call& call, const Request& request) {
  BERTH_CHECK(call.check());
  if (request.message.size() > kMessageBytes) {
    return make_error(ErrorCode::too_large, "the request is larger than a guest takes at once")
        .with("limit", "guest_message")
        .with("max_bytes", static_cast<std::int64_t>(kMessageBytes));
  }
  const os::Wakeup wakeup(call.stop);
  const os::Wakeup deaf{std::stop_token{}};
  std::unique_lock lock(mutex_);
  BERTH_TRY(auto taken, take_stream());
  const Entry entry(*this, lock, std::move(taken));
  Stream& stream = entry.stream();
  const auto has_room = [this] { return streams_.size() < std::min(kStreams, hello_->streams); };
  BERTH_CHECK(wait(lock, stream, call.deadline, wakeup, has_room));
  if (broken_) return *broken_;
  stream.number = next_stream_++;
  stream.outbox = Outbox(hello_->window);
  streams_.emplace(stream.number, &stream);

  bool stopped = false;
  auto until = after(call.deadline, kAfterDeadline);
  while (!stream.answered || stream.has_news()) {
    send_some(stream, request, call.deadline);
    const auto waited = wait(lock, stream, until, stopped ? deaf : wakeup,
                             [&] { return stream.has_news() || (!stream.request_sent && can_send(stream)); });
    if (!waited && !stream.begun) return waited.error();
    if (!waited && waited.error().code == ErrorCode::cancelled && !stopped) {
      stopped = true;
      stream.request_sent = true;
      until = until.sooner(Deadline::after(request.cancel_patience));
      send(FrameKind::cancel, 0, stream.number, {});
      continue;
    }
    if (!waited) {
      send(FrameKind::cancel, kFinal, stream.number, {});
      if (stopped) return make_error(ErrorCode::cancelled, "the call was cancelled, and the guest did not confirm it");
      if (waited.error().code != ErrorCode::timed_out) return waited.error();
      return make_error(ErrorCode::timed_out, "the guest did not answer before the call's deadline");
    }
    if (broken_) return *broken_;
    if (!stream.output.empty() || !stream.questions.empty()) {
      hear(lock, stream, request);
      continue;
    }
    if (stream.answered) break;
  }
  return Answer{.is_error = stream.is_error.value_or(true), .message = stream.inbox.take_message()};
}

/// Wait until `ready` or the connection is broken. The first that waits reads for all; the others are told.
template <typename Ready>
Result<void> Connection::wait(std::unique_lock<std::mutex>& lock, Stream& stream, const Deadline& deadline,
                              const os::Wakeup& wakeup, Ready ready) {
  Result<void> waited;
  while (waited && !broken_ && !ready()) {
    waited = leader_ == nullptr ? lead(lock, stream, deadline, wakeup) : follow(lock, stream, deadline, wakeup);
  }
  if (leader_ == nullptr) pass_lead();
  // What came just before the end still counts.
  if (broken_ || ready()) return {};
  return waited;
}

Result<void> Connection::lead(std::unique_lock<std::mutex>& lock, Stream& stream, const Deadline& deadline,
                              const os::Wakeup& wakeup) {
  leader_ = &stream;
  std::array<pollfd, 3> waits = {
      {{in_.get(), POLLIN, 0}, {stream.event.get(), POLLIN, 0}, {unsent_.empty() ? -1 : out_.get(), POLLOUT, 0}}};
  lock.unlock();
  const auto polled = os::poll_fds(waits, deadline, wakeup);
  lock.lock();
  leader_ = nullptr;
  if (polled && waits[1].revents != 0) stream.calm();
  if (polled && waits[2].revents != 0) flush();
  if (!polled || waits[0].revents != 0) receive();
  if (!polled) return polled.error();
  return {};
}

Result<void> Connection::follow(std::unique_lock<std::mutex>& lock, Stream& stream, const Deadline& deadline,
                                const os::Wakeup& wakeup) {
  followers_.push_back(&stream);
  std::array<pollfd, 1> waits = {{{stream.event.get(), POLLIN, 0}}};
  lock.unlock();
  const auto polled = os::poll_fds(waits, deadline, wakeup);
  lock.lock();
  std::erase(followers_, &stream);
  if (!polled) return polled.error();
  stream.calm();
  return {};
}

void Connection::pass_lead() {
  if (!followers_.empty()) followers_.front()->wake();
}

void Connection::send(FrameKind kind, std::uint8_t flags, std::uint64_t stream, BytesView first, BytesView second,
                      BytesView third) {
  if (broken_) return;
  append_frame(unsent_, kind, flags, stream, first, second, third);
  flush();
}

bool Connection::can_send(const Stream& stream) const noexcept {
  return unsent_.size() < kUnsentBytes && stream.outbox.open() > 0;
}

/// As much of the request as may be sent now.
void Connection::send_some(Stream& stream, const Request& request, const Deadline& deadline) {
  while (!stream.request_sent && !broken_ && can_send(stream)) {
    const auto rest = request.message.substr(stream.message_sent);
    const auto size = std::min<std::size_t>({rest.size(), kChunkBytes, stream.outbox.open()});
    const bool is_first = !std::exchange(stream.begun, true);
    Bytes head;
    if (is_first) {
      append_head(head, {.method = static_cast<std::uint8_t>(request.method),
                         .flags = request.flags,
                         .deadline_ns = nanoseconds_to(deadline)});
    }
    stream.message_sent += size;
    stream.outbox.sent(size);
    stream.request_sent = size == rest.size();
    Bytes count;
    if (stream.request_sent) append_u64(count, stream.outbox.count());
    send(is_first ? FrameKind::request : FrameKind::data, stream.request_sent ? kFinal : 0, stream.number, head,
         rest.substr(0, size), count);
  }
}

void Connection::flush() {
  std::size_t written = 0;
  while (written < unsent_.size()) {
    const BytesView left = BytesView(unsent_).substr(written);
    ssize_t got = 0;
    if (out_is_socket_) {
      got = ::send(out_.get(), left.data(), left.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    } else {
      const engine::NoSigpipe quiet;
      got = ::write(out_.get(), left.data(), left.size());
    }
    if (got >= 0) {
      written += static_cast<std::size_t>(got);
    } else if (errno == EAGAIN) {
      break;
    } else if (errno != EINTR) {
      // What the guest said before it went is read first.
      receive();
      return break_off(gone("its stream takes no more"));
    }
  }
  const bool had_no_room = unsent_.size() >= kUnsentBytes;
  unsent_.erase(0, written);
  // The thread that reads also writes what is left, once it knows of it.
  if (!unsent_.empty() && leader_ != nullptr) leader_->wake();
  if (had_no_room && unsent_.size() < kUnsentBytes) {
    for (const Stream* waiting : followers_) waiting->wake();
  }
}

void Connection::receive() {
  for (int round = 0; round < kReadsAtOnce && !broken_; ++round) {
    const ssize_t got = ::read(in_.get(), buffer_.get(), kReadBytes);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got == 0 && !hello_) return break_off(gone("it ended before it said anything"));
    if (got == 0)
      return break_off(gone(parser_.at_boundary() ? "its stream ended" : "its stream ended within a frame"));
    if (got < 0) return break_off(gone("its stream cannot be read"));
    parser_.add({buffer_.get(), static_cast<std::size_t>(got)});
    while (true) {
      auto frame = parser_.next();
      if (!frame) return break_off(std::move(frame).error());
      if (!*frame) break;
      if (auto taken = on_frame(**frame); !taken) return break_off(std::move(taken).error());
    }
    if (static_cast<std::size_t>(got) < kReadBytes) return;
  }
}

Result<void> Connection::on_frame(const Frame& frame) {
  BytesView payload = frame.payload;
  if (frame.kind == FrameKind::hello) {
    if (hello_ || frame.stream != 0) return broken_protocol("a greeting came out of turn");
    BERTH_TRY(const Hello theirs, decode_hello(payload));
    BERTH_CHECK(agree({}, theirs));
    hello_ = theirs;
    return {};
  }
  if (!hello_) return broken_protocol("the stream does not begin with a greeting");
  if (frame.stream == 0 || frame.stream >= next_stream_)
    return broken_protocol("an answer came that was not asked for");
  const auto found = streams_.find(frame.stream);
  // A call that was given up.
  if (found == streams_.end()) return {};
  Stream& stream = *found->second;
  if (stream.answered) return broken_protocol("an answer goes on after its end");

  switch (frame.kind) {
    case FrameKind::credit: {
      const auto bytes = take_number(payload, 4);
      if (!bytes || !payload.empty()) return broken_protocol("a grant cannot be read");
      BERTH_CHECK(stream.outbox.grant(*bytes));
      break;
    }
    case FrameKind::response: {
      const auto status = take_number(payload, 1);
      if (!status || *status > 1 || stream.is_error) return broken_protocol("an answer cannot be read");
      stream.is_error = *status == 1;
      return on_message(stream, frame, payload);
    }
    case FrameKind::data:
      if (!stream.is_error) return broken_protocol("an answer has no beginning");
      return on_message(stream, frame, payload);
    case FrameKind::output: {
      const auto which = take_number(payload, 1);
      if (!which || *which > 1 || stream.is_error) return broken_protocol("output cannot be read");
      BERTH_CHECK(stream.inbox.hold(payload.size()));
      stream.output.emplace_back(*which == 0 ? OutputSink::Stream::out : OutputSink::Stream::err, payload);
      break;
    }
    case FrameKind::question: {
      const auto number = take_number(payload, 8);
      if (!number || payload.empty() || stream.questions.size() >= kQuestions) {
        return broken_protocol("a question cannot be read");
      }
      stream.questions.emplace_back(*number, payload);
      break;
    }
    default: return broken_protocol("a frame came from the wrong side");
  }
  stream.wake();
  return {};
}

Result<void> Connection::on_message(Stream& stream, const Frame& frame, BytesView chunk) {
  if (frame.is_final()) {
    if (chunk.size() < 8) return broken_protocol("the end of a message carries no count");
    BytesView count = chunk.substr(chunk.size() - 8);
    chunk.remove_suffix(8);
    BERTH_CHECK(stream.inbox.add(chunk));
    BERTH_CHECK(stream.inbox.finish(*take_number(count, 8)));
    stream.answered = true;
    stream.wake();
    return {};
  }
  BERTH_CHECK(stream.inbox.add(chunk));
  give_credit(stream);
  return {};
}

void Connection::give_credit(Stream& stream) {
  const auto credit = stream.inbox.take_credit();
  if (credit == 0) return;
  Bytes number;
  append_u32(number, credit);
  send(FrameKind::credit, 0, stream.number, number);
}

/// Hand on what came for the caller, without the lock: it may ask again, or take its time.
void Connection::hear(std::unique_lock<std::mutex>& lock, Stream& stream, const Request& request) {
  const auto output = std::exchange(stream.output, {});
  const auto questions = std::exchange(stream.questions, {});
  lock.unlock();
  std::size_t heard = 0;
  for (const auto& [which, bytes] : output) {
    if (request.sink != nullptr) request.sink->write(which, bytes);
    heard += bytes.size();
  }
  std::vector<std::pair<std::uint64_t, bool>> verdicts;
  for (const auto& [number, path] : questions) {
    verdicts.emplace_back(number, request.filter != nullptr && request.filter->leaves_out(path));
  }
  lock.lock();
  for (const auto& [number, leaves_out] : verdicts) {
    Bytes verdict;
    append_u64(verdict, number);
    verdict.push_back(leaves_out ? 1 : 0);
    send(FrameKind::verdict, 0, stream.number, verdict);
  }
  stream.inbox.release(heard);
  give_credit(stream);
}

void Connection::break_off(Error why) {
  if (broken_) return;
  broken_ = std::move(why);
  for (const auto& [number, stream] : streams_) stream->wake();
  for (const Stream* stream : followers_) stream->wake();
}

}  // namespace berth::guest
