#include "guest/program/server.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "guest/program/dispatch.h"

namespace berth::guest {
namespace {

constexpr std::size_t kReadBytes = 128 * 1024;
using Served = std::shared_ptr<ServedCall>;

/// Whoever gave us the descriptor may have made it non-blocking.
void wait_for(int fd, short events) {
  pollfd wait{fd, events, 0};
  ::poll(&wait, 1, -1);
}

Result<BytesView> cut_count(BytesView payload, std::uint64_t& count) {
  if (payload.size() < 8) return broken_protocol("the end of a message carries no count");
  BytesView tail = payload.substr(payload.size() - 8);
  count = *take_number(tail, 8);
  payload.remove_suffix(8);
  return payload;
}

}  // namespace

Result<std::unique_ptr<engine::HostEnvironment>> open_on_host(const OpenRequest& request) {
  engine::HostOptions options;
  options.features = os::Features::probe();
  if (request.links == LinkRule::refuse) options.links = os::LinkPolicy::refuse;
  if (request.writes == Writes::durable) options.files.durability = engine::Durability::durable;
  options.commands.env = request.env;
  options.jobs.state_directory = request.job_directory;
  return engine::HostEnvironment::open({request.directory}, std::move(options));
}

Server::Server(os::Fd in, os::Fd out, OpenEnvironment open)
    : in_(std::move(in)),
      out_(std::move(out)),
      open_(std::move(open)),
      buffer_(std::make_unique_for_overwrite<char[]>(kReadBytes)) {}

Server::~Server() { end_stream({}); }

bool Server::serve(std::chrono::milliseconds patience) {
  Bytes hello;
  append_frame(hello, FrameKind::hello, 0, 0, encode_hello({}));
  send(hello);
  if (!add_thread()) end_stream("no thread could be made");
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return ended_; });
  return changed_.wait_for(lock, patience, [this] { return busy_ == 0; });
}

void Server::send(BytesView frames) {
  const std::lock_guard lock(writing_);
  while (!frames.empty() && !write_failed_) {
    const ssize_t written = ::write(out_.get(), frames.data(), frames.size());
    if (written >= 0) {
      frames.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      wait_for(out_.get(), POLLOUT);
    } else if (errno != EINTR) {
      write_failed_ = true;
    }
  }
}

bool Server::add_thread() {
  const std::lock_guard lock(mutex_);
  if (idle_ > 0) return true;
  if (ended_) return false;
  try {
    threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    return false;
  }
  ++idle_;
  return true;
}

void Server::work() {
  while (true) {
    std::unique_lock reading(reading_);
    const Served call = next_call();
    if (call == nullptr) return;
    {
      const std::lock_guard lock(mutex_);
      --idle_;
      ++busy_;
    }
    const bool somebody_reads = add_thread();
    if (somebody_reads) reading.unlock();
    if (somebody_reads) {
      serve_call(call);
    } else {
      answer(*call, make_error(ErrorCode::unavailable, "the guest can make no more threads"));
    }
    const std::lock_guard lock(mutex_);
    calls_.erase(call->stream());
    --busy_;
    ++idle_;
    if (ended_) changed_.notify_all();
  }
}

Served Server::next_call() {
  while (true) {
    {
      const std::lock_guard lock(mutex_);
      if (ended_) return nullptr;
    }
    auto frame = parser_.next();
    if (frame && *frame) {
      auto call = on_frame(**frame);
      if (!call) {
        end_stream(std::get<std::string>(*call.error().field("reason")));
        return nullptr;
      }
      if (*call != nullptr) return *call;
      continue;
    }
    if (!frame) {
      end_stream(std::get<std::string>(*frame.error().field("reason")));
      return nullptr;
    }
    const ssize_t got = ::read(in_.get(), buffer_.get(), kReadBytes);
    if (got > 0) {
      parser_.add({buffer_.get(), static_cast<std::size_t>(got)});
    } else if (got < 0 && errno == EAGAIN) {
      wait_for(in_.get(), POLLIN);
    } else if (got == 0 || errno != EINTR) {
      end_stream(parser_.at_boundary() ? std::string() : "the stream ended within a frame");
      return nullptr;
    }
  }
}

Result<Served> Server::on_frame(const Frame& frame) {
  if (frame.kind == FrameKind::hello) {
    if (window_ != 0 || frame.stream != 0) return broken_protocol("a greeting came out of turn");
    BERTH_TRY(const Hello theirs, decode_hello(frame.payload));
    BERTH_CHECK(agree({}, theirs));
    const std::lock_guard lock(mutex_);
    window_ = theirs.window;
    return Served();
  }
  if (window_ == 0) return broken_protocol("the stream does not begin with a greeting");
  if (frame.kind == FrameKind::request) return on_request(frame);
  if (frame.stream == 0 || frame.stream > last_stream_)
    return broken_protocol("a frame is of a stream that is not open");

  Served call;
  {
    const std::lock_guard lock(mutex_);
    const auto found = calls_.find(frame.stream);
    // What was on its way to a call that has ended meanwhile.
    if (found == calls_.end()) return Served();
    call = found->second;
  }
  BytesView payload = frame.payload;
  switch (frame.kind) {
    case FrameKind::data: return on_data(*call, frame, payload);
    case FrameKind::credit: {
      const auto bytes = take_number(payload, 4);
      if (!bytes || !payload.empty()) return broken_protocol("a grant cannot be read");
      BERTH_CHECK(call->grant(*bytes));
      return Served();
    }
    case FrameKind::cancel: on_cancel(call, frame.is_final()); return Served();
    case FrameKind::verdict: {
      const auto question = take_number(payload, 8);
      const auto verdict = take_number(payload, 1);
      if (!verdict || *verdict > 1 || !payload.empty()) return broken_protocol("a verdict cannot be read");
      BERTH_CHECK(call->decide(*question, *verdict == 1));
      return Served();
    }
    default: return broken_protocol("a frame came from the wrong side");
  }
}

Result<Served> Server::on_request(const Frame& frame) {
  BytesView payload = frame.payload;
  const auto head = take_head(payload);
  if (!head) return broken_protocol("a request is too short");
  if (frame.stream <= last_stream_) return broken_protocol("a stream was opened twice");
  last_stream_ = frame.stream;
  Wire& wire = *this;
  const auto call = std::make_shared<ServedCall>(wire, frame.stream, *head, window_);
  {
    const std::lock_guard lock(mutex_);
    if (calls_.size() >= kStreams) return broken_protocol("more calls are open than may be");
    calls_.emplace(frame.stream, call);
  }
  return on_data(*call, frame, payload);
}

Result<Served> Server::on_data(ServedCall& call, const Frame& frame, BytesView chunk) {
  if (call.inbox().is_finished()) return broken_protocol("a message goes on after its end");
  std::uint64_t count = 0;
  if (frame.is_final()) {
    BERTH_TRY(chunk, cut_count(chunk, count));
  }
  BERTH_CHECK(call.inbox().add(chunk));
  if (frame.is_final()) {
    BERTH_CHECK(call.inbox().finish(count));
    const std::lock_guard lock(mutex_);
    return calls_.at(call.stream());
  }
  if (const auto credit = call.inbox().take_credit(); credit > 0) {
    Bytes number;
    append_u32(number, credit);
    Bytes grant;
    append_frame(grant, FrameKind::credit, 0, call.stream(), number);
    send(grant);
  }
  return Served();
}

void Server::on_cancel(const Served& call, bool abandoned) {
  call->cancel(abandoned);
  if (call->inbox().is_finished()) return;
  // Nobody serves it: the rest of its message will not come.
  call->respond(1, encode_answer(make_error(ErrorCode::cancelled, "the call was cancelled")));
  const std::lock_guard lock(mutex_);
  calls_.erase(call->stream());
}

void Server::end_stream(std::string complaint) {
  const std::lock_guard lock(mutex_);
  if (!ended_) complaint_ = std::move(complaint);
  ended_ = true;
  for (const auto& [stream, call] : calls_) call->cancel(true);
  changed_.notify_all();
}

engine::HostEnvironment* Server::environment() {
  const std::lock_guard lock(mutex_);
  return environment_.get();
}

void Server::serve_call(const Served& call) {
  const Call limits = call->call();
  const auto method = static_cast<Method>(call->head().method);
  const Bytes message = call->inbox().take_message();
  const RemoteFilter filter(*call);
  Decoder arguments(message, &filter);
  if (method == Method::open) return answer(*call, open(limits, arguments));
  auto* const served = environment();
  if (served == nullptr) return answer(*call, make_error(ErrorCode::protocol, "no directory was opened"));
  if (method == Method::ensure) {
    const auto ensured = served->repair(limits);
    return answer(*call, ensured ? Result<Bytes>(Bytes()) : Result<Bytes>(ensured.error()));
  }
  const auto faces = (call->head().flags & RequestHead::kLinkFree) != 0 ? served->link_free() : served->faces();
  if ((call->head().flags & RequestHead::kWantsOutput) == 0) {
    return answer(*call, dispatch(faces, limits, method, arguments, nullptr));
  }
  RemoteSink sink(*call, limits.deadline.sooner(timeout_of(method, message)));
  answer(*call, dispatch(faces, limits, method, arguments, &sink));
}

void Server::answer(ServedCall& call, const Result<Bytes>& result) {
  if (result && result->size() > kMessageBytes) {
    return answer(call, make_error(ErrorCode::too_large, "the answer is larger than a guest can give at once")
                            .with("limit", "guest_message")
                            .with("max_bytes", static_cast<std::int64_t>(kMessageBytes)));
  }
  if (result) {
    call.respond(0, *result);
  } else {
    call.respond(1, encode_answer(result.error()));
  }
}

Result<Bytes> Server::open(const Call& call, Decoder& arguments) {
  BERTH_TRY(const auto given, decode_arguments<operations::Open>(arguments));
  const auto& request = std::get<0>(given);
  {
    const std::lock_guard lock(mutex_);
    if (opening_) return make_error(ErrorCode::conflict, "a directory was opened already");
    opening_ = true;
  }
  auto environment = open_(request);
  if (environment && !request.incarnation.empty() && (*environment)->incarnation() != request.incarnation) {
    environment = make_error(ErrorCode::environment_gone, "the directory is not the one that was meant");
  }
  const std::lock_guard lock(mutex_);
  opening_ = environment.has_value();
  if (!environment) return std::move(environment).error();
  BERTH_CHECK(call.check());
  environment_ = std::move(environment).value();
  return encode_answer(OpenAnswer{.incarnation = environment_->incarnation(),
                                  .resource_key = environment_->resource_key(),
                                  .root_names = environment_->root().names(),
                                  .jobs = environment_->faces().jobs != nullptr});
}

}  // namespace berth::guest
