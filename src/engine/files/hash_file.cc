#include "engine/files/hash_file.h"

#include <algorithm>
#include <cerrno>
#include <memory>

#include "base/limits.h"
#include "engine/files/file_stat.h"
#include "engine/files/read_bytes.h"
#include "engine/files/settled.h"

namespace berth::engine {
namespace {

constexpr std::size_t kPieceBytes = 256 * 1024;

Result<Sha256> hash_to_end(const Call& call, const OpenFile& file) {
  // One byte more than the file has, so that its end is seen in the first read.
  const std::size_t piece = std::min(kPieceBytes, static_cast<std::size_t>(file.stat.st_size) + 1);
  const auto buffer = std::make_unique_for_overwrite<char[]>(piece);
  Sha256Stream hash;
  std::int64_t offset = 0;
  for (;;) {
    BERTH_CHECK(call.check());
    BERTH_TRY(const std::size_t got, read_at(file.fd.get(), offset, buffer.get(), piece));
    hash.add({buffer.get(), got});
    offset += static_cast<std::int64_t>(got);
    if (got < piece) return hash.finish();
  }
}

}  // namespace

Result<Revision> revision_of_file(const Call& call, RevisionCache& cache, OpenFile& file) {
  for (int attempt = 0; attempt < limits::kReadAttempts; ++attempt) {
    const bool settled = is_settled(file.stat, file_clock_now());
    if (settled) {
      if (const auto known = cache.try_find(file.stat)) return revision_of(*known);
    }
    BERTH_TRY(const Sha256 digest, hash_to_end(call, file));
    const struct stat before = file.stat;
    if (!look_at_open(file.fd.get(), file.stat)) return errno_error(errno, "look at the file");
    if (is_untouched(before, file.stat)) {
      if (settled) cache.store(before, digest);
      return revision_of(digest);
    }
  }
  return make_error(ErrorCode::changed_during_read, "the file kept changing while it was read");
}

}  // namespace berth::engine
