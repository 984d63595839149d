#pragma once

#include <optional>
#include <string>

#include "base/bytes.h"

namespace berth {

/// Encode with the standard alphabet and padding (RFC 4648 section 4).
std::string encode_base64(BytesView bytes);

/// Decode the standard alphabet with padding; nothing when a character, the length or the padding is wrong.
std::optional<Bytes> try_decode_base64(std::string_view text);

}  // namespace berth
