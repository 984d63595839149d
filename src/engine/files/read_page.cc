#include "engine/files/read_page.h"

#include <algorithm>
#include <cerrno>

#include "base/limits.h"
#include "engine/files/file_stat.h"
#include "engine/files/open_file.h"
#include "engine/files/read_bytes.h"
#include "engine/files/settled.h"

namespace berth::engine {
namespace {

enum class Settled { no, yes };

Result<void> require_valid(const ReadRange& range) {
  if (range.offset < 0) return make_error(ErrorCode::invalid_argument, "the offset is negative");
  if (range.max_bytes && *range.max_bytes <= 0) {
    return make_error(ErrorCode::invalid_argument, "max_bytes must be greater than 0");
  }
  return {};
}

Result<std::int64_t> page_length(const ReadRange& range, std::int64_t total) {
  if (range.offset > total) {
    return make_error(ErrorCode::offset_out_of_range, "the offset lies behind the end of the file")
        .with("offset", range.offset)
        .with("total_bytes", total);
  }
  const std::int64_t rest = total - range.offset;
  return range.max_bytes ? std::min(*range.max_bytes, rest) : rest;
}

Revision page_revision(RevisionCache& cache, const struct stat& st, Settled settled, BytesView content) {
  if (settled == Settled::no) return revision_of(content);
  if (const auto known = cache.try_find(st)) return revision_of(*known);
  const Sha256 digest = sha256(content);
  cache.store(st, digest);
  return revision_of(digest);
}

ReadPage make_page(const ReadRange& range, Bytes content, std::int64_t total) {
  ReadPage page;
  page.content = std::move(content);
  page.offset = range.offset;
  page.total_bytes = total;
  const std::int64_t end = range.offset + static_cast<std::int64_t>(page.content.size());
  page.truncated = end < total;
  if (page.truncated) page.next_offset = end;
  return page;
}

bool is_complete(const ReadPage& page) { return page.offset == 0 && !page.truncated; }

enum class Outcome { done, changed, ended_early };

/// One attempt over a file of known size. `file.stat` is moved on to what the file is afterwards.
Result<Outcome> try_read(const Call& call, RevisionCache& cache, OpenFile& file, const ReadRange& range,
                         ReadPage& page) {
  const auto settled = is_settled(file.stat, file_clock_now()) ? Settled::yes : Settled::no;
  const struct stat before = file.stat;
  BERTH_TRY(const std::int64_t length, page_length(range, before.st_size));
  BERTH_TRY(Bytes content, read_bytes(call, file.fd.get(), range.offset, length));
  if (settled == Settled::no) {
    BERTH_TRY(const bool same, holds_bytes(call, file.fd.get(), range.offset, content));
    if (!same) return Outcome::changed;
  }
  if (!look_at_open(file.fd.get(), file.stat)) return errno_error(errno, "look at the file");
  if (!is_untouched(before, file.stat)) return Outcome::changed;
  if (static_cast<std::int64_t>(content.size()) < length) return Outcome::ended_early;
  page = make_page(range, std::move(content), before.st_size);
  page.token = change_token_of(before);
  if (is_complete(page)) {
    page.git_mode = git_mode_of(before);
    if (range.want_revision == WantRevision::yes) page.revision = page_revision(cache, before, settled, page.content);
  }
  return Outcome::done;
}

/// A page of a file that has more or fewer bytes than its size says.
Result<ReadPage> read_unsized(const Call& call, const OpenFile& file, const ReadRange& range) {
  BERTH_TRY(Bytes content, read_to_end(call, file.fd.get()));
  const auto total = static_cast<std::int64_t>(content.size());
  BERTH_TRY(const std::int64_t length, page_length(range, total));
  content.erase(0, static_cast<std::size_t>(range.offset));
  content.resize(static_cast<std::size_t>(length));
  ReadPage page = make_page(range, std::move(content), total);
  page.token = change_token_of(file.stat);
  if (is_complete(page)) {
    page.git_mode = git_mode_of(file.stat);
    if (range.want_revision == WantRevision::yes) page.revision = revision_of(page.content);
  }
  return page;
}

}  // namespace

Result<ReadPage> read_page(const Call& call, const os::Root& root, RevisionCache& cache, const Path& path,
                           const ReadRange& range) {
  BERTH_CHECK(require_valid(range));
  BERTH_CHECK(call.check());
  BERTH_TRY(OpenFile file, open_regular(call, root, path));
  Outcome outcome = Outcome::changed;
  for (int attempt = 0; attempt < limits::kReadAttempts; ++attempt) {
    if (attempt > 0) BERTH_CHECK(call.check());
    if (file.stat.st_size == 0) {
      BERTH_TRY(const bool unsized, is_unsized(file));
      if (unsized) return read_unsized(call, file, range);
    }
    ReadPage page;
    BERTH_TRY(outcome, try_read(call, cache, file, range, page));
    if (outcome == Outcome::done) return page;
  }
  // A file that is cut while it is read shows its new size; one that ends early again and again has no true size.
  if (outcome == Outcome::ended_early) return read_unsized(call, file, range);
  return make_error(ErrorCode::changed_during_read, "the file kept changing while it was read");
}

}  // namespace berth::engine
