#include "engine/files/read_page.h"

#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "engine/files/file_stat.h"
#include "engine/files/open_file.h"
#include "engine/files/read_bytes.h"
#include "engine/files/settled.h"
#include "engine/files/steady_read.h"

namespace berth::engine {
namespace {

enum class Settled { no, yes };

constexpr std::size_t kSmallPageBytes = 16 * 1024;

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

/// Say of a page that has its content all but its revision.
void describe_page(ReadPage& page, const ReadRange& range, std::int64_t total, const struct stat& st) {
  page.offset = range.offset;
  page.total_bytes = total;
  const std::int64_t end = range.offset + static_cast<std::int64_t>(page.content.size());
  page.truncated = end < total;
  if (page.truncated) page.next_offset = end;
  if (page.offset == 0 && !page.truncated) page.git_mode = git_mode_of(st);
  page.token = change_token_of(st);
}

bool needs_revision(const ReadRange& range, const ReadPage& page) {
  return range.want_revision == WantRevision::yes && page.offset == 0 && !page.truncated;
}

/// Read a small page that is in the page cache, with one look at the file instead of two: a file that was settled when
/// the read began, and still shows it afterwards, was not changed in between. False when it is not so plain. Asks not
/// to wait, so that whatever was opened, this neither blocks nor takes a device's input.
bool try_read_at_once(RevisionCache& cache, int fd, const ReadRange& range, ReadPage& page) {
  const timespec begin = file_clock_now();
  std::array<char, kSmallPageBytes> buffer;
  const auto most = static_cast<std::int64_t>(buffer.size());
  const std::int64_t wanted = std::min(range.max_bytes.value_or(most), most);
  const iovec piece{buffer.data(), static_cast<std::size_t>(wanted)};
  const ssize_t got = preadv2(fd, &piece, 1, range.offset, RWF_NOWAIT);
  struct stat st;
  if (got <= 0 || !look_at_open(fd, st) || !S_ISREG(st.st_mode) || !is_settled(st, begin)) return false;
  const std::int64_t rest = st.st_size - range.offset;
  if (got != std::min(range.max_bytes.value_or(rest), rest)) return false;
  page.content.assign(buffer.data(), static_cast<std::size_t>(got));
  describe_page(page, range, st.st_size, st);
  if (needs_revision(range, page)) page.revision = page_revision(cache, st, Settled::yes, page.content);
  return true;
}

/// One attempt over a file of known size. `file.stat` is moved on to what the file is afterwards.
Result<Attempt> try_read(const Call& call, RevisionCache& cache, OpenFile& file, const ReadRange& range,
                         Result<ReadPage>& page) {
  const auto settled = is_settled(file.stat, file_clock_now()) ? Settled::yes : Settled::no;
  const struct stat before = file.stat;
  BERTH_TRY(const std::int64_t length, page_length(range, before.st_size));
  BERTH_TRY(Bytes content, read_bytes(call, file.fd.get(), range.offset, length));
  if (settled == Settled::no) {
    BERTH_TRY(const bool same, holds_bytes(call, file.fd.get(), range.offset, content));
    if (!same) return Attempt::changed;
  }
  if (!look_at_open(file.fd.get(), file.stat)) return errno_error(errno, "look at the file");
  if (!is_untouched(before, file.stat)) return Attempt::changed;
  if (static_cast<std::int64_t>(content.size()) < length) return Attempt::ended_early;
  page->content = std::move(content);
  describe_page(*page, range, before.st_size, before);
  if (needs_revision(range, *page)) page->revision = page_revision(cache, before, settled, page->content);
  return Attempt::done;
}

/// A page of a file that has more or fewer bytes than its size says.
Result<ReadPage> read_unsized(const Call& call, const OpenFile& file, const ReadRange& range) {
  BERTH_TRY(Bytes content, read_to_end(call, file.fd.get()));
  const auto total = static_cast<std::int64_t>(content.size());
  BERTH_TRY(const std::int64_t length, page_length(range, total));
  content.erase(0, static_cast<std::size_t>(range.offset));
  content.resize(static_cast<std::size_t>(length));
  ReadPage page;
  page.content = std::move(content);
  describe_page(page, range, total, file.stat);
  if (needs_revision(range, page)) page.revision = revision_of(page.content);
  return page;
}

}  // namespace

Result<ReadPage> read_page(const Call& call, const os::Root& root, RevisionCache& cache, const Path& path,
                           const ReadRange& range) {
  BERTH_CHECK(require_valid(range));
  BERTH_CHECK(call.check());
  BERTH_TRY(os::Fd fd, open_to_read(call, root, path));
  Result<ReadPage> page = ReadPage{};
  if (try_read_at_once(cache, fd.get(), range, *page)) return page;
  BERTH_TRY(OpenFile file, as_regular(std::move(fd)));
  page = read_steadily<ReadPage>(
      call, std::move(file),
      [&](OpenFile& open, Result<ReadPage>& tried) { return try_read(call, cache, open, range, tried); },
      [&](const OpenFile& open) { return read_unsized(call, open, range); });
  return page;
}

}  // namespace berth::engine
