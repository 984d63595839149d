#include "engine/files/revision_cache.h"

#include <utility>

namespace berth::engine {

Revision revision_of(const Sha256& digest) { return Revision{"sha256:" + to_hex(digest)}; }

Revision revision_of(BytesView content) { return revision_of(sha256(content)); }

std::size_t RevisionCache::KeyHash::operator()(const Key& key) const noexcept {
  // Inodes are handed out in runs; the multiplication (by 2^64 over the golden ratio) spreads them over the high bits.
  std::uint64_t mixed =
      (static_cast<std::uint64_t>(key.inode) ^ (static_cast<std::uint64_t>(key.device) << 40)) * 0x9E3779B97F4A7C15ULL;
  return static_cast<std::size_t>(mixed ^ (mixed >> 32));
}

bool RevisionCache::Entry::is_of(const struct stat& st) const noexcept {
  return size == st.st_size && mtime_s == st.st_mtim.tv_sec && mtime_ns == st.st_mtim.tv_nsec &&
         ctime_s == st.st_ctim.tv_sec && ctime_ns == st.st_ctim.tv_nsec;
}

RevisionCache::Shard& RevisionCache::shard_of(const Key& key) noexcept {
  return shards_[(KeyHash()(key) >> 24) % kShards];
}

void RevisionCache::insert(Shard& shard, const Key& key, const Entry& entry) {
  if (shard.young.size() >= kGenerationEntries && !shard.young.contains(key)) {
    shard.old = std::exchange(shard.young, {});
  }
  shard.young.insert_or_assign(key, entry);
}

std::optional<Sha256> RevisionCache::try_find(const struct stat& st) {
  const Key key{st.st_dev, st.st_ino};
  Shard& shard = shard_of(key);
  const std::lock_guard lock(shard.mutex);
  if (const auto found = shard.young.find(key); found != shard.young.end()) {
    return found->second.is_of(st) ? std::optional(found->second.digest) : std::nullopt;
  }
  const auto found = shard.old.find(key);
  if (found == shard.old.end() || !found->second.is_of(st)) return std::nullopt;
  const Entry entry = found->second;
  shard.old.erase(found);
  insert(shard, key, entry);
  return entry.digest;
}

void RevisionCache::store(const struct stat& st, const Sha256& digest) {
  const Key key{st.st_dev, st.st_ino};
  Shard& shard = shard_of(key);
  const std::lock_guard lock(shard.mutex);
  insert(shard, key,
         Entry{st.st_size, st.st_mtim.tv_sec, st.st_mtim.tv_nsec, st.st_ctim.tv_sec, st.st_ctim.tv_nsec, digest});
}

}  // namespace berth::engine
