#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "base/result.h"

namespace berth::guest {

/// Of the frames, the messages and the values in them. It goes up with every change of any of them.
inline constexpr std::uint16_t kProtocolVersion = 1;

/// Calls at once on one connection.
inline constexpr std::uint32_t kStreams = 256;
/// Bytes of one stream on their way in one direction.
inline constexpr std::uint32_t kWindow = 1024 * 1024;
/// Bytes of one message.
inline constexpr std::uint64_t kMessageBytes = std::uint64_t{1} << 30;

/// What each side says first. What both understand holds: the highest version that both have, the features of both, the
/// smaller of the limits that the sender of a hello can take.
struct Hello {
  std::uint16_t oldest = kProtocolVersion;  ///< version that the sender understands
  std::uint16_t newest = kProtocolVersion;
  std::uint64_t features = 0;  ///< none is defined yet; unknown ones are passed over
  std::uint32_t streams = kStreams;
  std::uint32_t window = kWindow;  ///< that the sender grants on each stream from its start

  bool operator==(const Hello&) const = default;
};

/// The payload of a hello frame: 8 bytes that name the protocol, then the numbers. Longer ones of later versions are
/// read as far as they are known.
Bytes encode_hello(const Hello& hello);
/// Errors: `protocol` for what is no hello, with the field `reason`.
Result<Hello> decode_hello(BytesView payload);

/// The version that both speak. `protocol` with `our_versions` and `their_versions` when there is none: the guest must
/// be replaced by one of this build.
Result<std::uint16_t> agree(const Hello& ours, const Hello& theirs);

}  // namespace berth::guest
