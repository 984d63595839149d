#include "workspace/git/index_file.h"

#include <algorithm>

namespace berth::git {
namespace {

constexpr std::size_t kHeader = 12;
constexpr std::size_t kStatData = 40;
constexpr unsigned kAssumeValid = 0x8000;
constexpr unsigned kExtended = 0x4000;
constexpr unsigned kNameMask = 0x0fff;
constexpr unsigned kSkipWorktree = 0x4000;
constexpr unsigned kIntentToAdd = 0x2000;

class Reader {
 public:
  Reader(Bytes& bytes, std::size_t end) : bytes_(bytes), end_(end) {}

  bool has(std::size_t count) const { return end_ - at_ >= count; }
  std::size_t at() const { return at_; }
  void skip(std::size_t count) { at_ += count; }

  unsigned peek16(std::size_t at) const {
    return (static_cast<unsigned>(static_cast<unsigned char>(bytes_[at])) << 8) |
           static_cast<unsigned char>(bytes_[at + 1]);
  }
  std::uint32_t peek32(std::size_t at) const { return (peek16(at) << 16) | peek16(at + 2); }
  void put16(std::size_t at, unsigned value) {
    bytes_[at] = static_cast<char>(value >> 8);
    bytes_[at + 1] = static_cast<char>(value & 0xff);
  }

  /// The bytes up to a NUL, which is passed; false when there is none.
  bool take_string(BytesView& text) {
    const auto nul = BytesView(bytes_).substr(0, end_).find('\0', at_);
    if (nul == BytesView::npos) return false;
    text = BytesView(bytes_).substr(at_, nul - at_);
    at_ = nul + 1;
    return true;
  }

  /// Git's variable width number of version 4 (the offset encoding of packs).
  bool take_width(std::size_t& value) {
    if (!has(1)) return false;
    auto byte = static_cast<unsigned char>(bytes_[at_++]);
    value = byte & 0x7f;
    while ((byte & 0x80) != 0) {
      if (!has(1) || value > (std::size_t{1} << 40)) return false;
      byte = static_cast<unsigned char>(bytes_[at_++]);
      value = ((value + 1) << 7) | (byte & 0x7f);
    }
    return true;
  }

 private:
  Bytes& bytes_;
  std::size_t end_;
  std::size_t at_ = 0;
};

/// Whether the extensions are whole and none of them holds entries elsewhere: `link` (split), `sdir` (sparse), or any
/// that readers must know (lower case) and we do not.
bool extensions_are_harmless(const Reader& reader, const Bytes& index, std::size_t end) {
  for (auto at = reader.at(); at < end;) {
    if (end - at < 8) return false;
    if (index[at] < 'A' || index[at] > 'Z') return false;
    const std::size_t size = reader.peek32(at + 4);
    if (size > end - at - 8) return false;
    at += 8 + size;
  }
  return true;
}

}  // namespace

IndexFacts clean_index(Bytes& index, std::size_t object_bytes) {
  const IndexFacts damaged{.use = IndexFacts::Use::unusable, .not_checked_out = {}};
  if (index.size() < kHeader + object_bytes || !index.starts_with("DIRC")) return damaged;
  const auto end = index.size() - object_bytes;
  Reader reader(index, end);
  const auto version = reader.peek32(4);
  const auto count = reader.peek32(8);
  if (version < 2 || version > 4) return damaged;
  reader.skip(kHeader);

  IndexFacts facts;
  Bytes path;
  for (std::uint32_t entry = 0; entry < count; ++entry) {
    const auto start = reader.at();
    const auto flags_at = start + kStatData + object_bytes;
    if (!reader.has(kStatData + object_bytes + 2)) return damaged;
    reader.skip(kStatData + object_bytes + 2);
    auto flags = reader.peek16(flags_at);
    unsigned extended = 0;
    if ((flags & kExtended) != 0) {
      if (version == 2 || !reader.has(2)) return damaged;
      extended = reader.peek16(flags_at + 2);
      reader.skip(2);
    }

    BytesView text;
    if (version == 4) {
      std::size_t drop = 0;
      if (!reader.take_width(drop) || drop > path.size() || !reader.take_string(text)) return damaged;
      path.resize(path.size() - drop);
      path += text;
    } else {
      if (!reader.take_string(text)) return damaged;
      if ((flags & kNameMask) != std::min<std::size_t>(text.size(), kNameMask)) return damaged;
      path = text;
      // One to eight NULs end an entry, so that its length is a multiple of eight.
      const auto length = (reader.at() - 1 - start + 8) & ~std::size_t{7};
      const auto used = reader.at() - start;
      if (!reader.has(length - used)) return damaged;
      reader.skip(length - used);
    }
    if (path.empty()) return damaged;

    if ((extended & kSkipWorktree) != 0) facts.not_checked_out.push_back(path);
    if ((flags & kAssumeValid) != 0 || (extended & (kSkipWorktree | kIntentToAdd)) != 0) {
      reader.put16(flags_at, flags & ~kAssumeValid);
      if ((flags & kExtended) != 0) reader.put16(flags_at + 2, extended & ~(kSkipWorktree | kIntentToAdd));
      facts.use = IndexFacts::Use::cleaned;
    }
  }
  if (!extensions_are_harmless(reader, index, end)) facts.use = IndexFacts::Use::unusable;
  std::sort(facts.not_checked_out.begin(), facts.not_checked_out.end());
  return facts;
}

}  // namespace berth::git
