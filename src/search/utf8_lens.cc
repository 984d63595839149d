#include "search/utf8_lens.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace berth::search {
namespace {

constexpr std::string_view kStandIn = "\xEF\xBF\xBD";
constexpr std::size_t kGrowth = kStandIn.size() - 1;

/// The length of the ASCII text that bytes begin with.
std::size_t ascii_prefix(BytesView bytes) noexcept {
  std::size_t at = 0;
  for (; at + 32 <= bytes.size(); at += 32) {
    std::uint64_t words[4];
    std::memcpy(words, bytes.data() + at, sizeof words);
    if (((words[0] | words[1] | words[2] | words[3]) & 0x8080808080808080U) != 0) break;
  }
  while (at < bytes.size() && static_cast<unsigned char>(bytes[at]) < 0x80) ++at;
  return at;
}

}  // namespace

bool is_plain_utf8(BytesView bytes) noexcept {
  while (!bytes.empty()) {
    bytes.remove_prefix(ascii_prefix(bytes));
    if (bytes.empty()) break;
    const std::size_t length = utf8_length_at(bytes, 0);
    if (length == 0) return false;
    bytes.remove_prefix(length);
  }
  return true;
}

Utf8Lens::Utf8Lens(BytesView bytes) : bytes_(bytes) {
  if (is_plain_utf8(bytes)) return;
  text_.reserve(bytes.size() + bytes.size() / 8);
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t length = utf8_length_at(bytes, at);
    if (length == 0) {
      replaced_.push_back(text_.size());
      text_ += kStandIn;
      ++at;
    } else {
      text_.append(bytes, at, length);
      at += length;
    }
  }
}

std::size_t Utf8Lens::original(std::size_t shown_position) const noexcept {
  const auto before = std::lower_bound(replaced_.begin(), replaced_.end(), shown_position) - replaced_.begin();
  return shown_position - kGrowth * static_cast<std::size_t>(before);
}

std::size_t Utf8Lens::shown_at(std::size_t position) const noexcept {
  // The i-th stand-in shows the byte at replaced_[i] - i * kGrowth.
  std::size_t low = 0;
  std::size_t high = replaced_.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (replaced_[middle] - middle * kGrowth < position) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return position + kGrowth * low;
}

}  // namespace berth::search
