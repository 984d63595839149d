#include "guest/program/served_call.h"

#include <algorithm>

namespace berth::guest {
namespace {

constexpr std::size_t kQuestions = 256;

Deadline deadline_of(std::uint64_t nanoseconds) {
  constexpr auto kLongest = static_cast<std::uint64_t>(std::chrono::nanoseconds::max().count());
  if (nanoseconds > kLongest) return Deadline::never();
  return Deadline::after(std::chrono::nanoseconds(static_cast<std::int64_t>(nanoseconds)));
}

/// Wait for a change, not past the deadline. False when it has passed.
bool wait_until(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                const std::optional<Deadline>& limit) {
  if (!limit || limit->is_never()) {
    changed.wait(lock);
    return true;
  }
  if (limit->passed()) return false;
  changed.wait_until(lock, limit->when());
  return true;
}

}  // namespace

ServedCall::ServedCall(Wire& wire, std::uint64_t stream, const RequestHead& head, std::uint32_t window)
    : wire_(wire), stream_(stream), head_(head), deadline_(deadline_of(head.deadline_ns)), outbox_(window) {}

Result<void> ServedCall::grant(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
  return outbox_.grant(bytes);
}

void ServedCall::cancel(bool abandoned) {
  stop_.request_stop();
  const std::lock_guard lock(mutex_);
  abandoned_ = abandoned_ || abandoned;
  changed_.notify_all();
}

Result<void> ServedCall::decide(std::uint64_t question, bool leaves_out) {
  const std::lock_guard lock(mutex_);
  const auto found = questions_.find(question);
  // One that was given up is answered in vain.
  if (found == questions_.end() && question < next_question_) return {};
  if (found == questions_.end()) return broken_protocol("a question was answered that was not asked");
  found->second = leaves_out;
  changed_.notify_all();
  return {};
}

std::size_t ServedCall::room(std::unique_lock<std::mutex>& lock, std::optional<Deadline> limit) {
  while (outbox_.open() == 0 && !abandoned_) {
    if (limit && stop_.stop_requested()) return 0;
    if (!wait_until(changed_, lock, limit)) return 0;
  }
  return abandoned_ ? 0 : std::min<std::size_t>(outbox_.open(), kChunkBytes);
}

void ServedCall::respond(std::uint8_t status, BytesView message) {
  const char first = static_cast<char>(status);
  BytesView head(&first, 1);
  auto kind = FrameKind::response;
  for (bool is_final = false; !is_final; kind = FrameKind::data, head = {}) {
    Bytes frames;
    {
      std::unique_lock lock(mutex_);
      const auto size = message.empty() ? 0 : std::min(room(lock, std::nullopt), message.size());
      if (abandoned_) return;
      const auto chunk = message.substr(0, size);
      message.remove_prefix(size);
      outbox_.sent(size);
      is_final = message.empty();
      Bytes count;
      if (is_final) append_u64(count, outbox_.count());
      append_frame(frames, kind, is_final ? kFinal : 0, stream_, head, chunk, count);
    }
    wire_.send(frames);
  }
}

void ServedCall::send_output(OutputSink::Stream stream, BytesView bytes, const Deadline& limit) {
  const char which = stream == OutputSink::Stream::out ? 0 : 1;
  while (!bytes.empty()) {
    Bytes frames;
    {
      std::unique_lock lock(mutex_);
      const auto size = std::min(room(lock, limit), bytes.size());
      if (size == 0) return;
      outbox_.sent(size);
      append_frame(frames, FrameKind::output, 0, stream_, BytesView(&which, 1), bytes.substr(0, size));
      bytes.remove_prefix(size);
    }
    wire_.send(frames);
  }
}

bool ServedCall::ask(std::string_view path) {
  std::unique_lock lock(mutex_);
  const auto given_up = [this] { return abandoned_ || stop_.stop_requested(); };
  while (questions_.size() >= kQuestions) {
    if (given_up() || !wait_until(changed_, lock, deadline_)) return true;
  }
  if (given_up()) return true;
  const auto question = next_question_++;
  questions_.emplace(question, std::nullopt);
  Bytes number;
  append_u64(number, question);
  Bytes frames;
  append_frame(frames, FrameKind::question, 0, stream_, number, path);
  lock.unlock();
  wire_.send(frames);
  lock.lock();
  std::optional<bool> verdict;
  while (!(verdict = questions_.at(question))) {
    if (given_up() || !wait_until(changed_, lock, deadline_)) break;
  }
  questions_.erase(question);
  changed_.notify_all();
  return verdict.value_or(true);
}

}  // namespace berth::guest
