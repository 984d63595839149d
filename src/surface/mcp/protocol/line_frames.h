#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace berth::mcp {

/// Cuts a byte stream into frames, one a line. A line that is too long is reported once, as soon as that is known, and
/// then skipped up to its end, so the stream goes on with the next line. Memory: one frame. One thread at a time.
class LineFrames {
 public:
  struct Frame {
    enum class Kind { line, too_long };

    Kind kind = Kind::line;
    BytesView text;  ///< without its ending, LF or CRLF; valid until the next call of anything

    bool operator==(const Frame&) const = default;
  };

  explicit LineFrames(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  void feed(BytesView bytes);
  /// The next frame that is complete; blank lines are none. After nothing, feed more.
  std::optional<Frame> next();
  /// At the end of the stream: what stands there without an ending.
  std::optional<Frame> rest();

 private:
  Frame line(std::size_t end);

  std::size_t max_bytes_;
  std::string held_;
  std::size_t start_ = 0;    ///< of the line in `held_`
  std::size_t scanned_ = 0;  ///< no ending before this
  bool skipping_ = false;    ///< inside a line that was too long
};

}  // namespace berth::mcp
