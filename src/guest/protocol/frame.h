#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "base/result.h"

/// The frames of the guest protocol (docs/protocol/guest.md): a header of 16 bytes and a payload. All numbers are
/// little-endian.
///
///     bytes 0-3  size of the payload    byte 4  kind    byte 5  flags    bytes 6-7  zero    bytes 8-15  stream
namespace berth::guest {

inline constexpr std::size_t kHeaderBytes = 16;
/// Of a message's bytes in one frame.
inline constexpr std::size_t kChunkBytes = 64 * 1024;
/// Of a payload: a chunk and what a frame says besides.
inline constexpr std::size_t kMaxPayload = kChunkBytes + 512;

/// What a frame is. Client to guest: `hello`, `request`, `data`, `credit`, `cancel`, `verdict`. Guest to client:
/// `hello`, `response`, `data`, `output`, `credit`, `question`.
enum class FrameKind : std::uint8_t {
  hello = 1,  ///< who speaks and what it can; the first frame of either side, on stream 0
  request,    ///< opens a stream: `RequestHead`, then bytes of the message
  response,   ///< opens the answer: 0 value or 1 error, then bytes of the message
  data,       ///< more bytes of the message
  output,     ///< what the call's command wrote: 0 standard output or 1 standard error, then bytes
  credit,     ///< so many more bytes may be sent on the stream (4 bytes)
  cancel,     ///< end the call; its answer still comes, unless the frame is `kFinal`: then nobody waits for one
  question,   ///< a number (8 bytes) and a path: does the call's filter leave it out?
  verdict     ///< the number, and 0 no or 1 yes
};

inline constexpr std::uint8_t kFinal = 1;  ///< the last frame of a message: its payload ends with the stream's count

struct Frame {
  FrameKind kind = FrameKind::hello;
  std::uint8_t flags = 0;
  std::uint64_t stream = 0;
  BytesView payload;

  bool is_final() const noexcept { return (flags & kFinal) != 0; }

  bool operator==(const Frame&) const = default;
};

/// Append a frame. The payload is at most `kMaxPayload` long; it may be given in up to three parts.
void append_frame(Bytes& to, FrameKind kind, std::uint8_t flags, std::uint64_t stream, BytesView first,
                  BytesView second = {}, BytesView third = {});

void append_u16(Bytes& to, std::uint16_t value);
void append_u32(Bytes& to, std::uint32_t value);
void append_u64(Bytes& to, std::uint64_t value);
/// Take a number off the front; nothing when there are too few bytes.
std::optional<std::uint64_t> take_number(BytesView& from, std::size_t bytes) noexcept;

/// Cuts a stream of bytes, in whatever pieces it comes, into frames. Holds at most one frame beside the last piece.
class FrameParser final {
 public:
  /// Take bytes. Frames given before must no longer be used.
  void add(BytesView bytes);
  /// The next whole frame, which refers to this object's bytes; nothing when more are needed. A header that breaks the
  /// rules is `protocol`, and everything after it too.
  Result<std::optional<Frame>> next();
  /// Whether the bytes so far end between two frames.
  bool at_boundary() const noexcept { return at_ == buffer_.size(); }

 private:
  Bytes buffer_;
  std::size_t at_ = 0;
};

/// A request's first bytes.
struct RequestHead {
  enum Flags : std::uint8_t {
    kLinkFree = 1,    ///< of the faces that follow no link
    kWantsOutput = 2  ///< the command's output is wanted while it runs
  };

  std::uint8_t method = 0;
  std::uint8_t flags = 0;
  std::uint64_t deadline_ns = 0;  ///< from now; all bits set: never

  static constexpr std::size_t kBytes = 10;
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  bool operator==(const RequestHead&) const = default;
};
void append_head(Bytes& to, const RequestHead& head);
std::optional<RequestHead> take_head(BytesView& from) noexcept;

Error broken_protocol(std::string what);

}  // namespace berth::guest
