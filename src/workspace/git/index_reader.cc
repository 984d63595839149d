#include "workspace/git/index_reader.h"

#include <algorithm>

namespace berth::git {
namespace {

constexpr std::size_t kHeader = 12;

}  // namespace

std::optional<IndexReader> IndexReader::open(BytesView index, std::size_t object_bytes) {
  if (index.size() < kHeader + object_bytes || !index.starts_with("DIRC")) return std::nullopt;
  IndexReader reader(index.substr(0, index.size() - object_bytes), object_bytes);
  reader.version_ = reader.number(4);
  reader.count_ = reader.number(8);
  reader.at_ = kHeader;
  if (reader.version_ < 2 || reader.version_ > 4) return std::nullopt;
  return reader;
}

bool IndexReader::next(Entry& entry) {
  entry.at = at_;
  entry.flags_at = at_ + kStatBytes + object_bytes_;
  if (!has(kStatBytes + object_bytes_ + 2)) return false;
  at_ = entry.flags_at + 2;
  entry.flags = number16(entry.flags_at);
  entry.extended = 0;
  if ((entry.flags & kExtended) != 0) {
    if (version_ == 2 || !has(2)) return false;
    entry.extended = number16(at_);
    at_ += 2;
  }

  BytesView text;
  if (version_ == 4) {
    std::size_t drop = 0;
    if (!take_width(drop) || drop > path_.size() || !take_string(text)) return false;
    path_.resize(path_.size() - drop);
    path_ += text;
    entry.path = path_;
  } else {
    if (!take_string(text)) return false;
    if ((entry.flags & kNameMask) != std::min<std::size_t>(text.size(), kNameMask)) return false;
    entry.path = text;
    // One to eight NULs end an entry, so that its length is a multiple of eight.
    const auto length = (at_ - 1 - entry.at + 8) & ~std::size_t{7};
    const auto used = at_ - entry.at;
    if (!has(length - used)) return false;
    at_ = entry.at + length;
  }
  return !entry.path.empty();
}

bool IndexReader::extensions_are_optional() const {
  for (auto at = at_; at < bytes_.size();) {
    if (bytes_.size() - at < 8) return false;
    if (bytes_[at] < 'A' || bytes_[at] > 'Z') return false;
    const std::size_t size = number(at + 4);
    if (size > bytes_.size() - at - 8) return false;
    at += 8 + size;
  }
  return true;
}

BytesView IndexReader::known_tree() const {
  for (auto at = at_; bytes_.size() - at >= 8;) {
    const std::size_t size = number(at + 4);
    if (size > bytes_.size() - at - 8) break;
    auto content = bytes_.substr(at + 8, size);
    if (bytes_.substr(at, 4) == "TREE") {
      // The root comes first: an empty path and NUL, how many entries it covers, a space, how many subtrees, a newline,
      // its name. A negative number of entries says that the name is not known, and then it is not there.
      const auto newline = content.find('\n');
      if (content.size() < 2 || content[0] != '\0' || content[1] == '-' || newline == BytesView::npos) return {};
      content.remove_prefix(newline + 1);
      return content.size() < object_bytes_ ? BytesView() : content.substr(0, object_bytes_);
    }
    at += 8 + size;
  }
  return {};
}

/// The bytes up to a NUL, which is passed; false when there is none.
bool IndexReader::take_string(BytesView& text) {
  const auto nul = bytes_.find('\0', at_);
  if (nul == BytesView::npos) return false;
  text = bytes_.substr(at_, nul - at_);
  at_ = nul + 1;
  return true;
}

/// Git's variable width number of version 4 (the offset encoding of packs).
bool IndexReader::take_width(std::size_t& value) {
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

}  // namespace berth::git
