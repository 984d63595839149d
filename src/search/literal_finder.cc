#include "search/literal_finder.h"

#include <algorithm>
#include <cstring>

namespace berth::search {
namespace {

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }
char upper(char c) noexcept { return c >= 'a' && c <= 'z' ? static_cast<char>(c - ('a' - 'A')) : c; }

/// How common a byte is in source text and prose, roughly: the smaller, the rarer.
std::size_t commonness(char c) noexcept {
  constexpr std::string_view kByRarity =
      "\x7F~`^@$%&!?|\\#+[]{}<>*'QZJXKqzjVWYGUHFkxBDMNLPROvCAISTE9876543/:;120wy\"=bp-g(),_mhfu.cdlsronati\te\n ";
  const auto at = kByRarity.find(c);
  return at == std::string_view::npos ? 0 : at;
}

const char* find_byte(const char* begin, const char* end, char byte) noexcept {
  const void* at = begin < end ? std::memchr(begin, byte, static_cast<std::size_t>(end - begin)) : nullptr;
  return at == nullptr ? end : static_cast<const char*>(at);
}

}  // namespace

LiteralFinder::LiteralFinder(std::string literal, Case letters) : literal_(std::move(literal)), letters_(letters) {
  if (letters_ == Case::ascii_folded) {
    literal_.resize(std::min(literal_.size(), kMaxFoldedBytes));
    std::transform(literal_.begin(), literal_.end(), literal_.begin(), lower);
  }
  for (std::size_t i = 1; i < literal_.size(); ++i) {
    if (commonness(literal_[i]) < commonness(literal_[rare_])) rare_ = i;
  }
}

std::size_t LiteralFinder::find(BytesView buffer, std::size_t from) const noexcept {
  if (from > buffer.size() || buffer.size() - from < literal_.size()) return kNotFound;
  return letters_ == Case::exact ? find_exact(buffer, from) : find_folded(buffer, from);
}

std::size_t LiteralFinder::find_exact(BytesView buffer, std::size_t from) const noexcept {
  const char* const begin = buffer.data();
  // The rare byte of a literal that fits lies in here.
  const char* const last = begin + buffer.size() - literal_.size() + rare_ + 1;
  std::size_t misses = 0;
  for (const char* at = begin + from + rare_; (at = find_byte(at, last, literal_[rare_])) < last; ++at) {
    const char* const candidate = at - rare_;
    if (*candidate == literal_.front() && std::memcmp(candidate, literal_.data(), literal_.size()) == 0)
      return static_cast<std::size_t>(candidate - begin);
    if (++misses > 32 + static_cast<std::size_t>(candidate - begin - from) / 16) {
      const std::size_t rest = static_cast<std::size_t>(candidate - begin) + 1;
      const void* found = memmem(begin + rest, buffer.size() - rest, literal_.data(), literal_.size());
      return found == nullptr ? kNotFound : static_cast<std::size_t>(static_cast<const char*>(found) - begin);
    }
  }
  return kNotFound;
}

bool LiteralFinder::equals_folded(const char* text) const noexcept {
  for (std::size_t i = 0; i < literal_.size(); ++i) {
    if (lower(text[i]) != literal_[i]) return false;
  }
  return true;
}

// Two searches run side by side, one for each case of the rare byte; each moves on only when the other has passed it.
std::size_t LiteralFinder::find_folded(BytesView buffer, std::size_t from) const noexcept {
  const char* const begin = buffer.data();
  const char* const last = begin + buffer.size() - literal_.size() + rare_ + 1;
  const char small = literal_[rare_];
  const char large = upper(small);
  const char* next_small = find_byte(begin + from + rare_, last, small);
  const char* next_large = small == large ? last : find_byte(begin + from + rare_, last, large);
  for (;;) {
    const char* const at = std::min(next_small, next_large);
    if (at == last) return kNotFound;
    if (equals_folded(at - rare_)) return static_cast<std::size_t>(at - rare_ - begin);
    if (at == next_small) {
      next_small = find_byte(at + 1, last, small);
    } else {
      next_large = find_byte(at + 1, last, large);
    }
  }
}

}  // namespace berth::search
