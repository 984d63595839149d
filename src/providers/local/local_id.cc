#include "providers/local/local_id.h"

#include <algorithm>

#include "base/limits.h"

namespace berth::local {
namespace {

constexpr std::size_t kDigits = 16;

bool is_digit(char c) noexcept { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

}  // namespace

std::string to_string(const LocalId& id) { return id.incarnation + ":" + id.path; }

std::optional<LocalId> try_parse_id(std::string_view text) {
  if (text.size() < kDigits + 2 || text[kDigits] != ':' || text[kDigits + 1] != '/') return std::nullopt;
  const auto incarnation = text.substr(0, kDigits);
  const auto path = text.substr(kDigits + 1);
  if (!std::ranges::all_of(incarnation, is_digit)) return std::nullopt;
  if (path.size() > limits::kPathBytes || path.find('\0') != std::string_view::npos) return std::nullopt;
  return LocalId{std::string(incarnation), std::string(path)};
}

}  // namespace berth::local
