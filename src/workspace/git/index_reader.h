#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/bytes.h"

namespace berth::git {

/// Reads the entries of an index one after the other, without a judgement on what they say.
///
/// The format is gitformat-index(5), versions 2 to 4. The checksum at the end is not looked at: git checks it in `fsck`
/// only. Every damage is told, never a crash; time is linear in the file.
class IndexReader {
 public:
  struct Entry {
    std::size_t at = 0;        ///< where it begins: forty bytes of lstat(2) facts, then the object's name
    std::size_t flags_at = 0;  ///< two bytes of flags; the extended flags follow
    unsigned flags = 0;
    unsigned extended = 0;
    BytesView path;  ///< in the index, or, for version 4, valid until the next entry
  };

  static constexpr std::size_t kStatBytes = 40;
  static constexpr unsigned kAssumeValid = 0x8000;
  static constexpr unsigned kExtended = 0x4000;
  static constexpr unsigned kNameMask = 0x0fff;
  static constexpr unsigned kSkipWorktree = 0x4000;
  static constexpr unsigned kIntentToAdd = 0x2000;

  /// `object_bytes` is 20 or 32; the bytes must outlive the reader. Nothing when this is no index we can read.
  static std::optional<IndexReader> open(BytesView index, std::size_t object_bytes);

  std::uint32_t version() const noexcept { return version_; }
  std::uint32_t count() const noexcept { return count_; }

  /// Read one of the `count` entries; false when it is damaged.
  bool next(Entry& entry);

  /// After the last entry: whether the extensions are whole and none of them holds entries elsewhere: `link` (split),
  /// `sdir` (sparse), or any that readers must know (lower case) and we do not.
  bool extensions_are_optional() const;

  /// The name of the tree that the entries would be, when the index holds it: the extension `TREE`, which git keeps
  /// true itself. Not in hexadecimal; empty when it is not known. Call it where `extensions_are_optional` may be
  /// called.
  BytesView known_tree() const;

  /// A number of four bytes in network order.
  std::uint32_t number(std::size_t at) const { return (number16(at) << 16) | number16(at + 2); }

 private:
  IndexReader(BytesView entries, std::size_t object_bytes) : bytes_(entries), object_bytes_(object_bytes) {}

  unsigned number16(std::size_t at) const {
    return (static_cast<unsigned>(static_cast<unsigned char>(bytes_[at])) << 8) |
           static_cast<unsigned char>(bytes_[at + 1]);
  }
  bool has(std::size_t count) const { return bytes_.size() - at_ >= count; }
  bool take_string(BytesView& text);
  bool take_width(std::size_t& value);

  BytesView bytes_;  ///< without the checksum
  std::size_t object_bytes_;
  std::uint32_t version_ = 0;
  std::uint32_t count_ = 0;
  std::size_t at_ = 0;
  Bytes path_;  ///< of version 4: each is told by how it differs from the one before
};

}  // namespace berth::git
