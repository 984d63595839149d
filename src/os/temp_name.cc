#include "os/temp_name.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

namespace berth::os {
namespace {

constexpr std::string_view kTemp = ".berth-tmp-";
constexpr std::string_view kJournal = ".berth-txn-";
constexpr std::string_view kKept = ".berth-old-";
constexpr std::size_t kPrefixBytes = kTemp.size();
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

std::string make_name(std::string_view prefix) {
  std::string name;
  name.reserve(prefix.size() + 2 * kRandomBytes);
  name += prefix;
  for (const auto byte : random_bytes()) {
    name += kDigits[byte >> 4];
    name += kDigits[byte & 15];
  }
  return name;
}

bool has_shape(std::string_view name, std::string_view prefix) noexcept {
  return name.size() == kPrefixBytes + 2 * kRandomBytes && name.starts_with(prefix) &&
         name.find_first_not_of(kDigits, kPrefixBytes) == std::string_view::npos;
}

}  // namespace

std::string make_temp_name() { return make_name(kTemp); }
std::string make_journal_name() { return make_name(kJournal); }
std::string make_kept_name() { return make_name(kKept); }

bool is_temp_name(std::string_view name) noexcept {
  return has_shape(name, kTemp) || is_journal_name(name) || is_kept_name(name);
}
bool is_journal_name(std::string_view name) noexcept { return has_shape(name, kJournal); }
bool is_kept_name(std::string_view name) noexcept { return has_shape(name, kKept); }

}  // namespace berth::os
