#include "surface/mcp/protocol/line_frames.h"

#include <algorithm>

namespace berth::mcp {
namespace {

bool blank(BytesView text) { return text.find_first_not_of(" \t\r") == BytesView::npos; }

}  // namespace

void LineFrames::feed(BytesView bytes) {
  if (start_ > 0) {
    held_.erase(0, start_);
    scanned_ -= start_;
    start_ = 0;
  }
  held_.append(bytes);
}

LineFrames::Frame LineFrames::line(std::size_t end) {
  BytesView text(held_.data() + start_, end - start_);
  if (text.ends_with('\r')) text.remove_suffix(1);
  return {Frame::Kind::line, text};
}

std::optional<LineFrames::Frame> LineFrames::next() {
  for (;;) {
    const auto end = held_.find('\n', scanned_);
    if (end == std::string::npos) {
      scanned_ = held_.size();
      if (skipping_) {
        start_ = scanned_;
      } else if (held_.size() - start_ > max_bytes_) {
        skipping_ = true;
        start_ = scanned_;
        return Frame{Frame::Kind::too_long, {}};
      }
      return std::nullopt;
    }
    const auto frame = line(end);
    start_ = scanned_ = end + 1;
    if (skipping_) {
      skipping_ = false;
    } else if (frame.text.size() > max_bytes_) {
      return Frame{Frame::Kind::too_long, {}};
    } else if (!blank(frame.text)) {
      return frame;
    }
  }
}

std::optional<LineFrames::Frame> LineFrames::rest() {
  const auto frame = line(held_.size());
  start_ = scanned_ = held_.size();
  if (skipping_ || blank(frame.text)) return std::nullopt;
  return frame;
}

}  // namespace berth::mcp
