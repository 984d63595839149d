#pragma once

#include <string>
#include <string_view>

#include "base/bytes.h"

namespace berth::tools {

/// What a file's first bytes say that it is.
struct MediaType {
  enum class Kind { text, binary, image, document };

  Kind kind = Kind::text;
  std::string_view name;  ///< empty when nothing is known

  bool operator==(const MediaType&) const = default;
};

/// Look at the first bytes (8 KiB are enough). PNG, JPEG, GIF and WebP are images, PDF is a document; what else has a
/// NUL byte is binary, with a name for the best known formats.
MediaType media_type_of(BytesView beginning);

}  // namespace berth::tools
