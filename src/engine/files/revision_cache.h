#pragma once

#include <sys/stat.h>

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "base/hash.h"
#include "contract/files.h"

namespace berth::engine {

/// The revision of content with this digest, and of content given whole.
Revision revision_of(const Sha256& digest);
Revision revision_of(BytesView content);

/// Remembers the hashes of files, so that the revision of an unchanged file costs a stat (C-READ-8).
///
/// An entry counts only for the same device, inode, size, mtime and ctime. Only settled files may be stored (see
/// settled.h): the caller took the stat, found it settled, hashed, and found the file untouched. What no timestamp
/// shows is not seen: stores through a shared mapping whose page was written before and not yet written back. Bounded:
/// at most `kMaxEntries`; the ones used longest ago go first. Any number of threads; one lock of a shard per call.
class RevisionCache {
 public:
  static constexpr std::size_t kMaxEntries = 64 * 1024;

  std::optional<Sha256> try_find(const struct stat& st);
  void store(const struct stat& st, const Sha256& digest);

 private:
  struct Key {
    dev_t device;
    ino_t inode;

    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept;
  };
  struct Entry {
    std::int64_t size;
    std::int64_t mtime_s, mtime_ns, ctime_s, ctime_ns;
    Sha256 digest;

    bool is_of(const struct stat& st) const noexcept;
  };
  using Entries = std::unordered_map<Key, Entry, KeyHash>;

  /// Two generations instead of a list in order of use: when the young one is full, the old one is forgotten whole.
  struct alignas(64) Shard {
    std::mutex mutex;
    Entries young;
    Entries old;
  };

  static constexpr std::size_t kShards = 16;
  static constexpr std::size_t kGenerationEntries = kMaxEntries / kShards / 2;

  Shard& shard_of(const Key& key) noexcept;
  static void insert(Shard& shard, const Key& key, const Entry& entry);

  std::array<Shard, kShards> shards_;
};

}  // namespace berth::engine
