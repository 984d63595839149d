#include "engine/files/revision_cache.h"

#include <gtest/gtest.h>

#include <memory>

#include "engine/files/settled.h"

namespace berth::engine {
namespace {

struct stat file_at(ino_t inode, off_t size = 10, time_t seconds = 1000, long nanoseconds = 5) {
  struct stat st {};
  st.st_dev = 7;
  st.st_ino = inode;
  st.st_size = size;
  st.st_mtim = {seconds, nanoseconds};
  st.st_ctim = {seconds, nanoseconds};
  return st;
}

// Its shards are aligned to cache lines, which g++ 12 does not keep for variables on the fake stack of
// AddressSanitizer.
std::unique_ptr<RevisionCache> new_cache() { return std::make_unique<RevisionCache>(); }

TEST(RevisionCache, C_READ_8_answers_only_for_the_same_device_inode_size_mtime_and_ctime) {
  const auto cache = new_cache();
  const struct stat st = file_at(1);
  const Sha256 digest = sha256("content");
  cache->store(st, digest);
  EXPECT_EQ(cache->try_find(st), digest);
  const auto differs = [&](auto change) {
    struct stat other = st;
    change(other);
    EXPECT_EQ(cache->try_find(other), std::nullopt);
  };
  differs([](struct stat& s) { s.st_dev = 8; });
  differs([](struct stat& s) { s.st_ino = 2; });
  differs([](struct stat& s) { s.st_size = 11; });
  differs([](struct stat& s) { s.st_mtim.tv_nsec = 6; });
  differs([](struct stat& s) { s.st_mtim.tv_sec = 1001; });
  differs([](struct stat& s) { s.st_ctim.tv_nsec = 6; });
  differs([](struct stat& s) { s.st_ctim.tv_sec = 1001; });
  EXPECT_EQ(cache->try_find(st), digest);
}

TEST(RevisionCache, a_changed_file_takes_the_place_of_its_old_entry) {
  const auto cache = new_cache();
  cache->store(file_at(1, 10), sha256("old"));
  cache->store(file_at(1, 20), sha256("new"));
  EXPECT_EQ(cache->try_find(file_at(1, 10)), std::nullopt);
  EXPECT_EQ(cache->try_find(file_at(1, 20)), sha256("new"));
}

TEST(RevisionCache, is_bounded_and_forgets_what_was_used_longest_ago) {
  const auto cache = new_cache();
  const Sha256 digest = sha256("x");
  constexpr ino_t kMany = 3 * RevisionCache::kMaxEntries;
  for (ino_t inode = 1; inode <= kMany; ++inode) {
    cache->store(file_at(inode), digest);
    ASSERT_EQ(cache->try_find(file_at(1)), digest) << inode;  // used all the time
  }
  std::size_t known = 0;
  for (ino_t inode = 1; inode <= kMany; ++inode) known += cache->try_find(file_at(inode)) ? 1 : 0;
  EXPECT_LE(known, RevisionCache::kMaxEntries);
  EXPECT_GT(known, RevisionCache::kMaxEntries / 4);
}

TEST(Settled, a_file_is_settled_a_second_after_its_last_change) {
  const struct stat st = file_at(1, 10, 1000, 500);
  EXPECT_FALSE(is_settled(st, {1000, 500}));
  EXPECT_FALSE(is_settled(st, {1001, 500}));
  EXPECT_TRUE(is_settled(st, {1001, 501}));
  EXPECT_TRUE(is_settled(st, {1002, 0}));
  EXPECT_FALSE(is_settled(st, {900, 0})) << "a stamp in the future of this clock proves nothing";
  struct stat chmodded = st;
  chmodded.st_ctim = {1500, 0};
  EXPECT_FALSE(is_settled(chmodded, {1501, 0}));
}

}  // namespace
}  // namespace berth::engine
