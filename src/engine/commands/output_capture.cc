#include "engine/commands/output_capture.h"

#include <algorithm>

namespace berth::engine {
namespace {

/// Cut to a length and give the memory back.
void cut(Bytes& bytes, std::int64_t length) {
  if (static_cast<std::int64_t>(bytes.size()) <= length) return;
  bytes.resize(static_cast<std::size_t>(length));
  bytes.shrink_to_fit();
}

/// Append up to a length; returns what did not fit.
BytesView append_up_to(Bytes& to, BytesView bytes, std::int64_t length) {
  const auto room = std::max<std::int64_t>(0, length - static_cast<std::int64_t>(to.size()));
  const auto taken = std::min<std::size_t>(bytes.size(), static_cast<std::size_t>(room));
  to.append(bytes.substr(0, taken));
  return bytes.substr(taken);
}

}  // namespace

void OutputCapture::add(OutputSink::Stream stream, BytesView bytes) {
  Kept& to = kept(stream);
  to.total += static_cast<std::int64_t>(bytes.size());
  if (policy_.kind == OutputPolicy::Kind::keep) {
    add_bounded(to, bytes);
  } else {
    add_limited(to, bytes);
  }
}

void OutputCapture::add_limited(Kept& to, BytesView bytes) {
  if (!over_limit_ && out_.total + err_.total > policy_.limit) {
    over_limit_ = true;
    cut(out_.head, policy_.kept);
    cut(err_.head, policy_.kept);
  }
  if (over_limit_) {
    append_up_to(to.head, bytes, policy_.kept);
  } else {
    to.head.append(bytes);
  }
}

void OutputCapture::add_bounded(Kept& to, BytesView bytes) const {
  bytes = append_up_to(to.head, bytes, policy_.head);
  if (policy_.tail == 0) return;
  const auto capacity = static_cast<std::size_t>(policy_.tail);
  if (bytes.size() >= capacity) {
    to.tail.assign(bytes.substr(bytes.size() - capacity));
    to.ring_start = 0;
    return;
  }
  bytes = append_up_to(to.tail, bytes, policy_.tail);
  while (!bytes.empty()) {
    const auto taken = std::min(bytes.size(), capacity - to.ring_start);
    to.tail.replace(to.ring_start, taken, bytes.substr(0, taken));
    to.ring_start = (to.ring_start + taken) % capacity;
    bytes.remove_prefix(taken);
  }
}

StreamOutput OutputCapture::take(OutputSink::Stream stream) {
  Kept& from = kept(stream);
  std::rotate(from.tail.begin(), from.tail.begin() + static_cast<std::ptrdiff_t>(from.ring_start), from.tail.end());
  StreamOutput output{.head = std::move(from.head), .tail = std::move(from.tail), .total_bytes = from.total};
  if (output.dropped_bytes() == 0) {
    output.head += output.tail;
    output.tail.clear();
  }
  return output;
}

}  // namespace berth::engine
