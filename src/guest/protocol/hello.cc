#include "guest/protocol/hello.h"

#include <algorithm>
#include <string>

#include "guest/protocol/frame.h"

namespace berth::guest {
namespace {

constexpr BytesView kName{"BERTHGST", 8};
constexpr std::uint32_t kLeastWindow = 4096;

std::string versions(const Hello& hello) {
  return std::to_string(hello.oldest) + " to " + std::to_string(hello.newest);
}

}  // namespace

Bytes encode_hello(const Hello& hello) {
  Bytes payload(kName);
  append_u16(payload, hello.oldest);
  append_u16(payload, hello.newest);
  append_u64(payload, hello.features);
  append_u32(payload, hello.streams);
  append_u32(payload, hello.window);
  return payload;
}

Result<Hello> decode_hello(BytesView payload) {
  if (!payload.starts_with(kName)) return broken_protocol("it does not begin as the guest's protocol does");
  payload.remove_prefix(kName.size());
  const auto oldest = take_number(payload, 2);
  const auto newest = take_number(payload, 2);
  const auto features = take_number(payload, 8);
  const auto streams = take_number(payload, 4);
  const auto window = take_number(payload, 4);
  if (!window || *oldest == 0 || *oldest > *newest || *streams == 0 || *window < kLeastWindow) {
    return broken_protocol("the greeting makes no sense");
  }
  return Hello{.oldest = static_cast<std::uint16_t>(*oldest),
               .newest = static_cast<std::uint16_t>(*newest),
               .features = *features,
               .streams = static_cast<std::uint32_t>(*streams),
               .window = static_cast<std::uint32_t>(*window)};
}

Result<std::uint16_t> agree(const Hello& ours, const Hello& theirs) {
  const auto version = std::min(ours.newest, theirs.newest);
  if (version >= ours.oldest && version >= theirs.oldest) return version;
  return broken_protocol("they speak no version in common")
      .with("our_versions", versions(ours))
      .with("their_versions", versions(theirs));
}

}  // namespace berth::guest
