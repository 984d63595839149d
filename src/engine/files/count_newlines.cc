#include "engine/files/count_newlines.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace berth::engine {
namespace {

constexpr std::size_t kLanes = 32;
constexpr std::size_t kRoundsBeforeOverflow = 255;

}  // namespace

std::size_t count_newlines(BytesView bytes) noexcept {
  std::size_t total = 0;
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  while (left >= kLanes) {
    std::array<std::uint8_t, kLanes> counts{};
    const std::size_t rounds = std::min(left / kLanes, kRoundsBeforeOverflow);
    for (std::size_t round = 0; round < rounds; ++round, at += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) counts[lane] += at[lane] == '\n' ? 1 : 0;
    }
    for (const std::uint8_t count : counts) total += count;
    left -= rounds * kLanes;
  }
  return total + static_cast<std::size_t>(std::count(at, at + left, '\n'));
}

}  // namespace berth::engine
