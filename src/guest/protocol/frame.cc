#include "guest/protocol/frame.h"

#include <utility>

namespace berth::guest {
namespace {

template <std::size_t N>
void append_number(Bytes& to, std::uint64_t value) {
  char bytes[N];
  for (std::size_t i = 0; i < N; ++i) bytes[i] = static_cast<char>(value >> (8 * i));
  to.append(bytes, N);
}

}  // namespace

void append_u16(Bytes& to, std::uint16_t value) { append_number<2>(to, value); }
void append_u32(Bytes& to, std::uint32_t value) { append_number<4>(to, value); }
void append_u64(Bytes& to, std::uint64_t value) { append_number<8>(to, value); }

std::optional<std::uint64_t> take_number(BytesView& from, std::size_t bytes) noexcept {
  if (from.size() < bytes) return std::nullopt;
  std::uint64_t value = 0;
  for (std::size_t i = bytes; i > 0; --i) value = (value << 8) | static_cast<std::uint8_t>(from[i - 1]);
  from.remove_prefix(bytes);
  return value;
}

void append_frame(Bytes& to, FrameKind kind, std::uint8_t flags, std::uint64_t stream, BytesView first,
                  BytesView second, BytesView third) {
  append_u32(to, static_cast<std::uint32_t>(first.size() + second.size() + third.size()));
  to.push_back(static_cast<char>(kind));
  to.push_back(static_cast<char>(flags));
  append_u16(to, 0);
  append_u64(to, stream);
  to += first;
  to += second;
  to += third;
}

void FrameParser::add(BytesView bytes) {
  buffer_.erase(0, std::exchange(at_, 0));
  buffer_ += bytes;
}

Result<std::optional<Frame>> FrameParser::next() {
  BytesView left = BytesView(buffer_).substr(at_);
  if (left.size() < kHeaderBytes) return std::optional<Frame>();
  const auto size = *take_number(left, 4);
  const auto kind = *take_number(left, 1);
  const auto flags = *take_number(left, 1);
  const auto zero = *take_number(left, 2);
  const auto stream = *take_number(left, 8);
  if (size > kMaxPayload) return broken_protocol("a frame is longer than frames may be");
  if (kind < static_cast<std::uint8_t>(FrameKind::hello) || kind > static_cast<std::uint8_t>(FrameKind::verdict)) {
    return broken_protocol("a frame is of no known kind");
  }
  if (flags > kFinal || zero != 0) return broken_protocol("a frame has bits set that mean nothing");
  if (left.size() < size) return std::optional<Frame>();
  at_ += kHeaderBytes + size;
  return std::optional(Frame{.kind = static_cast<FrameKind>(kind),
                             .flags = static_cast<std::uint8_t>(flags),
                             .stream = stream,
                             .payload = left.substr(0, size)});
}

void append_head(Bytes& to, const RequestHead& head) {
  to.push_back(static_cast<char>(head.method));
  to.push_back(static_cast<char>(head.flags));
  append_u64(to, head.deadline_ns);
}

std::optional<RequestHead> take_head(BytesView& from) noexcept {
  if (from.size() < RequestHead::kBytes) return std::nullopt;
  RequestHead head;
  head.method = static_cast<std::uint8_t>(*take_number(from, 1));
  head.flags = static_cast<std::uint8_t>(*take_number(from, 1));
  head.deadline_ns = *take_number(from, 8);
  return head;
}

Error broken_protocol(std::string what) {
  return make_error(ErrorCode::protocol, "the guest and its client do not understand each other")
      .with("reason", std::move(what));
}

}  // namespace berth::guest
