#include "os/temp_name.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

namespace berth::os {
namespace {

constexpr std::string_view kPrefix = ".berth-tmp-";
constexpr std::size_t kRandomBytes = 16;
constexpr std::string_view kDigits = "0123456789abcdef";

std::array<unsigned char, kRandomBytes> random_bytes() {
  std::array<unsigned char, kRandomBytes> bytes;
  // A read of up to 256 bytes is never short once the pool is ready; only a signal before that interrupts it.
  while (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    if (errno != EINTR) std::abort();
  }
  return bytes;
}

}  // namespace

std::string make_temp_name() {
  std::string name;
  name.reserve(kPrefix.size() + 2 * kRandomBytes);
  name += kPrefix;
  for (const auto byte : random_bytes()) {
    name += kDigits[byte >> 4];
    name += kDigits[byte & 15];
  }
  return name;
}

bool is_temp_name(std::string_view name) noexcept {
  return name.size() == kPrefix.size() + 2 * kRandomBytes && name.starts_with(kPrefix) &&
         name.find_first_not_of(kDigits, kPrefix.size()) == std::string_view::npos;
}

}  // namespace berth::os
